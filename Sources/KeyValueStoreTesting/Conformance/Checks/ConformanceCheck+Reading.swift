/// Reads of single keys and of many.
extension ConformanceCheck {
    static let reading: [ConformanceCheck] = [
        ConformanceCheck("an absent key has no entry") { store, trial in
            try await store.write(.put("b", "1"))
            try await trial.forEachReader { reader in
                for key in ["a", "c", "b\0", "bb"] {
                    try expect(try await reader.fetchEntry(bytes(key)), is: nil, "\(key) was read")
                    try expect(try await reader.lent(bytes(key)), is: nil, "\(key) was lent")
                    try expect(
                        try await reader.fetchEntries(of: [bytes(key)]), is: [nil], "\(key) was read with others")
                }
            }
        },
        ConformanceCheck("a key has the value and the sequence number of the last write that set it") { store, trial in
            for value in ["first", "", "second", String(repeating: "long ", count: 2_000)] {
                let sequence = try await store.write(.put("key", value))
                let expected = Entry(key: bytes("key"), value: bytes(value), sequence: sequence)
                try await trial.forEachReader { reader in
                    try expect(try await reader.fetchEntry("key"), is: expected, "a key was put and read")
                    try expect(
                        try await reader.fetchEntries(limit: 2).entries, is: [expected],
                        "a key was put, and all were read")
                }
            }
        },
        ConformanceCheck("a removed key is absent, and can be put again") { store, _ in
            for value in ["1", "2"] {
                let first = try await store.write(.remove("key"))
                let put = try await store.write(.put("key", value))
                try expect(try await store.text("key"), is: value, "a removed key was put")
                let removal = try await store.write(.remove("key"))
                try expect(
                    first < put && put < removal, "removals and a put were written", expected: "increasing numbers",
                    found: "\(first), \(put), \(removal)")
                try expect(try await store.text("key"), is: nil, "a key was removed")
                try expect(try await store.contents(), is: [], "the only key was removed")
            }
        },
        ConformanceCheck("keys and values may have any bytes") { store, _ in
            let samples: [[UInt8]] = [[0], [0, 0], [0xFF], [0xFF, 0xFF, 0], [0x7F], [0x80], Array(0...255)]
            let operations = samples.map { WriteBatch.Operation(key: $0, value: $0) }
            try await store.write(operations)
            for key in samples {
                try expect(try await store.fetchEntry(key)?.value, is: key, "\(key) was read")
            }
            try expect(try await store.fetchCount(), is: samples.count, "the keys were counted")
        },
        ConformanceCheck("many keys are answered in the order of the question") { store, trial in
            var model = KeyModel()
            for name in ["a", "c", "d"] {
                let operation = WriteBatch.Operation.put(name, "value of \(name)")
                model.apply([operation], try await store.write(operation))
            }
            let (keys, entries) = (["d", "b", "a", "d", "x", "c", "a", "b"].map(bytes), model.entries)
            try await trial.forEachReader { reader in
                try expect(
                    try await reader.fetchEntries(of: keys), is: keys.map { entries[$0] },
                    "present, absent and repeated keys were read")
                try expect(try await reader.fetchEntries(of: []), is: [], "no keys were read")
            }
        },
        ConformanceCheck("a lent value is the entry's") { store, trial in
            let sequence = try await store.write(.put("key", "some bytes"), .put("other", "1"))
            try await trial.forEachReader { reader in
                let expected = Entry(key: bytes("key"), value: bytes("some bytes"), sequence: sequence)
                try expect(try await reader.lent("key"), is: [expected], "a value was lent")
            }
        },
    ]
}

extension Trial {
    /// Calls `body` with everything that can be read: the store, its views, and a transaction that has written nothing.
    /// It is called again if a view ends.
    nonisolated func forEachReader(_ body: (any KeyValueReader) async throws -> Void) async throws {
        try await body(store)
        try await store.reading { view in try await body(view) }
        try await store.reading(newest: true) { view in try await body(view) }
        try await store.transaction { transaction in try await body(transaction) }
    }
}

extension KeyValueReader {
    /// What is lent at each call of the body, as entries; nil if the key is absent. The entry, if it lends nothing.
    nonisolated(nonsending) func lent(_ key: some ByteSource) async throws -> [Entry]? {
        let key = key.byteArray
        guard let lender = self as? any LendingReader else { return try await fetchEntry(key).map { [$0] } }
        var lent: [Entry] = []
        let isPresent = try await lender.lendEntry(key) { value, sequence, expires in
            let copy = value.withUnsafeBytes { [UInt8]($0) }
            lent.append(Entry(key: key, value: copy, sequence: sequence, expires: expires))
        }
        return isPresent || !lent.isEmpty ? lent : nil
    }
}
