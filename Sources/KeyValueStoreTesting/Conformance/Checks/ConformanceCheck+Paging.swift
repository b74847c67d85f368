/// Ranges: their order, bounds, pages and counts.
extension ConformanceCheck {
    static let paging: [ConformanceCheck] = [
        ConformanceCheck("keys are in the order of unsigned bytes, in both directions") { store, trial in
            let keys: [[UInt8]] = [
                [0], [0, 0], [0, 1], [1], bytes("a"), bytes("a\0"), bytes("a\0b"), bytes("aa"), bytes("ab"),
                bytes("abcdefgh"), bytes("abcdefgh\0"), bytes("abcdefghi"), bytes("b"), [0x7F], [0x80], [0xFE, 0xFF],
                [0xFF], [0xFF, 0],
            ]
            let shuffled = keys.indices.map { keys[$0 * 7 % keys.count] }
            for key in shuffled { try await store.write(WriteBatch.Operation(key: key, value: [])) }
            try await trial.forEachReader { reader in
                let page = try await reader.fetchEntries(limit: .max)
                try expect(page.entries.map(\.key), is: keys, "all keys were read")
                try expect(page.next, is: nil, "all keys were read")
                let last = try await reader.fetchEntries(in: .all, reversed: true, limit: 100)
                try expect(last.entries.map(\.key), is: Array(keys.reversed()), "all keys were read in reverse")
            }
        },
        ConformanceCheck("every kind of bound limits reads and counts") { store, trial in
            let model = try await trial.fill(["b", "c", "ca", "d"])
            var ranges = KeyRange.withBounds(at: ["a", "b", "c", "c\0", "d", "e"].map(bytes))
            ranges += [KeyRange.prefix("c"), KeyRange.prefix("")]
            for range in ranges {
                try await checkRange(of: store, range, model)
                try await store.reading { view in try await checkRange(of: view, range, model) }
            }
        },
        ConformanceCheck("the pages of a range follow each other without a gap") { _, trial in
            let keys = (0..<23).map { "key:\($0 * 7 % 23)" }
            let model = try await trial.fill(keys + ["a", "z"])
            let ranges: [KeyRange] = [.prefix("key:"), .all, .from("key:2"), .upTo("key:2"), .prefix("x")]
            for range in ranges {
                for reversed in [false, true] {
                    for limit in [1, 2, 3, 22, 23, 24, 25, 26] {
                        try await trial.forEachReader { reader in
                            try await checkPages(of: reader, range, reversed, limit, model)
                        }
                    }
                }
            }
        },
        ConformanceCheck("a page has as many entries as the limit allows, past removed keys") { store, trial in
            let keys = (10..<90).map { "\($0)" }
            var model = try await trial.fill(keys)
            let removals = keys.filter { !$0.hasSuffix("0") }.map { WriteBatch.Operation.remove($0) }
            model.apply(removals, try await store.write(removals))
            for limit in [1, 3, 8, 9] {
                let page = try await store.fetchEntries(limit: limit)
                try expect(
                    page.entries, is: Array(model.entries(in: .all).prefix(limit)), "a page of \(limit) was read")
            }
        },
        ConformanceCheck("a count is the number of keys, after each write") { store, trial in
            let writes: [([WriteBatch.Operation], Int)] = [
                ([], 0), ([.put("a", "1")], 1), ([.put("a", "2")], 1), ([.put("b", ""), .put("c", "")], 3),
                ([.remove("x")], 3), ([.remove("b"), .put("d", "")], 3), ([.remove("a"), .remove("c")], 1),
                ([.remove("d")], 0),
            ]
            for (operations, count) in writes {
                try await store.write(operations)
                try await trial.forEachReader { reader in
                    try expect(try await reader.fetchCount(), is: count, "\(operations) was written")
                    try expect(try await reader.fetchCount(in: .prefix("zz")), is: 0, "an empty range was counted")
                }
            }
        },
    ]

    private nonisolated(nonsending) static func checkRange(
        of reader: any KeyValueReader, _ range: KeyRange, _ model: KeyModel
    ) async throws {
        for reversed in [false, true] {
            let expected = EntryPage(entries: model.entries(in: range, reversed: reversed), next: nil)
            let page = try await reader.fetchEntries(in: range, reversed: reversed, limit: 10)
            try expect(page, is: expected, "\(range) was read" + (reversed ? " in reverse" : ""))
        }
        let count = model.entries(in: range).count
        try expect(try await reader.fetchCount(in: range), is: count, "\(range) was counted")
    }

    private nonisolated(nonsending) static func checkPages(
        of reader: any KeyValueReader, _ range: KeyRange, _ reversed: Bool, _ limit: Int, _ model: KeyModel
    ) async throws {
        var (entries, rest): ([Entry], KeyRange?) = ([], range)
        while let part = rest {
            let page = try await reader.fetchEntries(in: part, reversed: reversed, limit: limit)
            try expect(
                page.entries.count == limit || page.entries.count < limit && page.next == nil,
                "\(part) was read with the limit \(limit)", expected: "a full page, or no next range",
                found: "\(page.entries.count) entries, next \(String(describing: page.next))")
            entries += page.entries
            rest = page.next
            try expect(
                entries.count <= model.entries.count, "\(range) was read by pages of \(limit)", expected: "an end")
        }
        try expect(entries, is: model.entries(in: range, reversed: reversed), "\(range) was read by pages of \(limit)")
    }
}

extension Trial {
    /// Puts keys, each in a write of its own.
    nonisolated func fill(_ keys: [String]) async throws -> KeyModel {
        var model = KeyModel()
        for key in keys {
            let operation = WriteBatch.Operation.put(key, "value of \(key)")
            model.apply([operation], try await store.write(operation))
        }
        return model
    }
}
