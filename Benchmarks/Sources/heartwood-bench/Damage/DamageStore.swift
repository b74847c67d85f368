/// The contents of the small store that is damaged.
enum DamageStore {
    static let keys = 500
    /// Keys that are put before the compaction. The others stay in the log, if the engine has one.
    private static let compacted = 300
    /// Keys, from the first, that get another value after the compaction.
    private static let overwritten = 50

    /// Fills it, so that its files have as many kinds of structures as possible.
    static func fill<S: Session, D: Database>(_ session: S, _ database: D, _ data: Dataset) async throws {
        let keys = data.keys()
        var key = keys.makeBuffer()
        for number in 0..<compacted {
            keys.write(number, to: &key)
            try await session.put(key, data.values[value(number, round: 0, data)])
        }
        try await database.compactAll()
        for number in Array(compacted..<data.keyCount) + Array(0..<overwritten) {
            keys.write(number, to: &key)
            try await session.put(key, data.values[value(number, round: number < overwritten ? 1 : 0, data)])
        }
    }

    private static func value(_ number: Int, round: Int, _ data: Dataset) -> Int {
        FixtureMaker.value(number, round: round, of: data.values.count)
    }

    /// Compares a value with the expected one of the key with that number.
    static func judge(_ number: Int, _ value: RawSpan, _ data: Dataset) -> DamageClass {
        let isOverwritten = number < overwritten
        if equals(value, data.values[Self.value(number, round: isOverwritten ? 1 : 0, data)]) { return .harmless }
        // The older value: the later write is lost.
        return isOverwritten && equals(value, data.values[Self.value(number, round: 0, data)]) ? .lost : .wrong
    }

    private static func equals(_ span: RawSpan, _ bytes: [UInt8]) -> Bool {
        span.withUnsafeBytes { $0.elementsEqual(bytes) }
    }
}
