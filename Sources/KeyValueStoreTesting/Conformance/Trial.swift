/// One run of a check: its stores, and what a check does with them.
actor Trial {
    nonisolated let subject: KeyValueStoreConformance.Subject
    /// A new store.
    nonisolated let store: any KeyValueStore
    private var others: [any KeyValueStore] = []
    private var isReopened = false

    init(_ subject: KeyValueStoreConformance.Subject) async throws {
        (self.subject, store) = (subject, try await subject.makeStore())
    }

    /// Another new store.
    func makeStore() async throws -> any KeyValueStore {
        let store = try await subject.makeStore()
        others.append(store)
        return store
    }

    /// The first store, closed and opened again. Once in a check.
    func reopen() async throws -> any KeyValueStore {
        guard let reopen = subject.reopen else { return store }
        let opened = try await reopen(store)
        isReopened = true
        others.append(opened)
        return opened
    }

    /// Advances the clock. Only for checks that need it.
    nonisolated func advanceClock(by duration: Duration) async { await subject.advanceClock?(duration) }

    /// Closes the stores.
    func end() async {
        for store in others { await subject.close(store) }
        if !isReopened { await subject.close(store) }
    }
}

/// The bytes of a text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

extension [Entry] {
    /// The keys as texts.
    var keys: [String] { map { String(decoding: $0.key, as: UTF8.self) } }
    /// The values as texts.
    var values: [String] { map { String(decoding: $0.value, as: UTF8.self) } }
}

/// Runs a body in several tasks, which get their numbers.
///
/// - Returns: What they return, in any order.
@discardableResult
func concurrently<R: Sendable>(
    _ tasks: Int, _ body: @escaping @Sendable (_ task: Int) async throws -> R
) async throws -> [R] {
    try await withThrowingTaskGroup(of: R.self) { group in
        for task in 0..<tasks { group.addTask { try await body(task) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

extension Transaction {
    /// Puts or removes a key.
    func perform(_ operation: WriteBatch.Operation) throws {
        if let value = operation.value { try put(operation.key, value) } else { try remove(operation.key) }
    }
}

extension WriteBatch.Operation {
    static func put(_ key: String, _ value: String, expires: Expiry = .never) -> Self {
        Self(key: bytes(key), value: bytes(value), expires: expires)
    }

    static func remove(_ key: String) -> Self { Self(key: bytes(key), value: nil) }
}

extension KeyValueStore {
    /// Writes a batch whose conditions hold. A `.conflict` is spurious then, and it is written again.
    @discardableResult
    nonisolated(nonsending) func write(
        _ operations: WriteBatch.Operation..., if conditions: [Condition] = [], file: String = #fileID,
        line: Int = #line
    ) async throws -> SequenceNumber {
        try await write(operations, if: conditions, file: file, line: line)
    }

    /// The same.
    @discardableResult
    nonisolated(nonsending) func write(
        _ operations: [WriteBatch.Operation], if conditions: [Condition] = [], file: String = #fileID,
        line: Int = #line
    ) async throws -> SequenceNumber {
        for _ in 0..<100 {
            if let sequence = try await tryWrite(operations, if: conditions) { return sequence }
            if conditions.isEmpty { break }
        }
        throw ConformanceFailure(
            "a batch was written", expected: "success, because its conditions hold", found: "conflict", file, line)
    }

    /// Writes a batch. Nil if there is a conflict.
    nonisolated(nonsending) func tryWrite(
        _ operations: [WriteBatch.Operation], if conditions: [Condition]
    ) async throws -> SequenceNumber? {
        do {
            return try await write(WriteBatch(operations: operations, conditions: conditions), durability: nil)
        } catch {
            if error.code == .conflict { return nil }
            throw error
        }
    }

    /// Whether conditions hold, which only a success shows: a conflict may be spurious.
    nonisolated(nonsending) func holds(_ conditions: Condition...) async throws -> Bool {
        for _ in 0..<8 where try await tryWrite([], if: conditions) != nil { return true }
        return false
    }

    /// All entries.
    nonisolated(nonsending) func contents() async throws -> [Entry] {
        try await fetchEntries(limit: .max).entries
    }

    /// The value of a key as text.
    nonisolated(nonsending) func text(_ key: String) async throws -> String? {
        try await fetchEntry(bytes(key)).map { String(decoding: $0.value, as: UTF8.self) }
    }

    /// A view, and what is read in it. Again with another view, if the view ends.
    nonisolated(nonsending) func reading<R>(
        newest: Bool = false, _ body: (any KeyValueView) async throws -> R
    ) async throws -> R {
        while true {
            do {
                return try await body(newest ? readView(for: .transaction) : readView())
            } catch let error as StoreError where error.code == .viewEnded {
                try Task.checkCancellation()
            }
        }
    }
}
