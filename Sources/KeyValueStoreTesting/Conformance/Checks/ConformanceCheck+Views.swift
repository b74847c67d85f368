/// Views: one moment, also beside writers.
extension ConformanceCheck {
    static let views: [ConformanceCheck] = [
        ConformanceCheck("a view shows what was acknowledged before it was made") { store, _ in
            for number in 0..<20 {
                let sequence = try await store.write(.put("key", "\(number)"))
                for view in [try await store.readView(), try await store.readView(for: .transaction)] {
                    try expect(try await view.fetchEntry("key")?.sequence, is: sequence, "a view was made")
                    try expect(
                        view.position.sequence >= sequence, "a view was made after write \(sequence)",
                        expected: "a position after it", found: "\(view.position)")
                }
            }
        },
        ConformanceCheck("a view shows the same after later writes") { store, trial in
            let model = try await trial.fill(["a", "b", "c"])
            let empty = try await trial.makeStore().readView()
            let views = [try await store.readView(), try await store.readView(for: .transaction)]
            let positions = views.map(\.position)
            let later: [[WriteBatch.Operation]] = [
                [.put("a", "new")], [.remove("b")], [.put("bb", "new")], [.remove("c"), .put("d", "new")],
                [.put("b", "again")], [.remove("a"), .remove("bb"), .remove("d")],
            ]
            for operations in later {
                try await store.write(operations)
                for view in views { try await checkMoment(view, model) }
            }
            try expect(views.map(\.position), is: positions, "the positions of views were read after later writes")
            try expect(try await empty.fetchCount(), is: 0, "the view of an empty store was counted")
        },
        ConformanceCheck("the keys of a view are those of its entries, as many as the limit allows") { store, trial in
            let keys = (10..<30).map { "key:\($0)" }
            var model = try await trial.fill(keys + ["a", "z"])
            let removals = keys.filter { $0.hasSuffix("5") }.map { WriteBatch.Operation.remove($0) }
            model.apply(removals, try await store.write(removals))
            let view = try await store.readView()
            try await store.write(.put("key:", "new"), .remove("key:11"), .put("key:15", "again"))
            let ranges: [KeyRange] = [.all, .prefix("key:"), .from("key:2"), .upTo("key:2"), .prefix("x")]
            for range in ranges {
                let all = model.entries(in: range).map(\.key)
                for limit in [1, 2, 9, 10, 18, 19, 20, 21, .max] {
                    try expect(
                        try await view.fetchKeys(in: range, limit: limit), is: Array(all.prefix(limit)),
                        "\(limit) keys of \(range) were read")
                }
            }
        },
        ConformanceCheck("a view's position is that of the last write that it shows") { store, _ in
            try await store.write(.put("a", "1"))
            let last = try await store.write(.put("b", "1"))
            let view = try await store.readView()
            let next = try await store.write(.put("c", "1"))
            let sequence = view.position.sequence
            try expect(
                sequence >= last && sequence < next, "a view was made between the writes \(last) and \(next)",
                expected: "a position between them", found: "\(sequence)")
        },
        ConformanceCheck("reads of a view see one moment beside writers") { store, trial in
            try await trial.besideWriters { store in
                try await store.reading { view in
                    let first = try await view.fetchEntry("left")
                    let second = try await view.fetchEntry("right")
                    let page = try await view.fetchEntries(limit: 10).entries
                    let count = try await view.fetchCount()
                    try expect(first?.sequence, is: second?.sequence, "two keys of a batch were read in a view")
                    try expect(
                        page.first { $0.key == bytes("left") }, is: first, "a key and a page were read in a view")
                    try expect([count, page.count], is: [3, 3], "three keys were counted and read in a view")
                }
            }
        },
        ConformanceCheck("one call sees one moment beside writers") { store, trial in
            try await trial.besideWriters { store in
                let both = try await store.fetchEntries(of: ["left", "right"])
                try expect(both[0]?.sequence, is: both[1]?.sequence, "two keys of a batch were read in one call")
                let page = try await store.fetchEntries(in: .all, reversed: true, limit: 10).entries
                try expect(page.count, is: 3, "three keys were read in one call")
                try expect(page.first?.sequence, is: page.last?.sequence, "two keys of a batch were read in a page")
                try expect(try await store.fetchCount(), is: 3, "three keys were counted")
            }
        },
    ]

    private static func checkMoment(_ view: any KeyValueView, _ model: KeyModel) async throws {
        let entries = model.entries(in: .all)
        let page = try await view.fetchEntries(limit: 10)
        try expect(page.entries, is: entries, "an older view was read")
        let reversed = try await view.fetchEntries(in: .all, reversed: true, limit: 2)
        try expect(reversed.entries, is: entries.reversed().prefix(2).map { $0 }, "an older view was read in reverse")
        try expect(try await view.fetchCount(), is: entries.count, "an older view was counted")
        for key in ["a", "b", "bb", "c", "d"].map(bytes) {
            try expect(try await view.fetchEntry(key), is: model.entries[key], "a key of an older view was read")
            try expect(
                try await view.fetchEntries(of: [key]), is: [model.entries[key]], "keys of an older view were read")
        }
    }
}

extension Trial {
    /// Runs a body again and again while two tasks write. Each batch puts the keys "left" and "right", and moves a
    /// third key: there are always three.
    nonisolated func besideWriters(_ body: @escaping @Sendable (any KeyValueStore) async throws -> Void) async throws {
        let store = self.store
        let moving = (0...60).map { "moving:\(100 + $0 * 37 % 61)" }
        try await store.write(.put("left", ""), .put("right", ""), .put(moving[0], ""))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...60 {
                    try await store.write(
                        .remove(moving[number - 1]), .put("left", "\(number)"), .put("right", "\(number)"),
                        .put(moving[number], ""))
                }
            }
            group.addTask {
                for number in 1...60 { try await store.write(.put("left", "-\(number)"), .put("right", "")) }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<40 { try await body(store) }
                }
            }
            try await group.waitForAll()
        }
    }
}
