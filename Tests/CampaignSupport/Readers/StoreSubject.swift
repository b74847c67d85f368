internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodTesting

/// A store in memory.
struct StoreSubject: ReadSubject {
    let keys: ReaderKeys
    private var store: Store
    private var last: UInt64
    private var random: SeededRandom

    init(keys: ReaderKeys, seed: UInt64) async throws {
        self.keys = keys
        random = SeededRandom(seed, 13)
        store = try await Store.open(at: "/readers", configuration: Self.configuration(seed, InMemoryFileSystem()))
        last = store.statistics.lastSequence
    }

    private static func configuration(_ seed: UInt64, _ fileSystem: InMemoryFileSystem) -> Store.Configuration {
        var configuration = Store.Configuration()
        configuration.fileSystem = fileSystem
        configuration.durability = .buffered
        configuration.segmentBytes = 8 << 20
        configuration.commitBufferBytes = 1 << 20
        configuration.valueReading = seed % 2 == 0 ? .positioned : .mapped
        return configuration
    }

    private static func value(_ rank: Int, _ number: UInt64) -> [UInt8] {
        let tag = ValueTag(rank, number).bits
        let length = 16 + Int(tag >> 8 % (tag % 256 == 0 ? 9_000 : 40))
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            raw.storeBytes(of: number, as: UInt64.self)
            raw.storeBytes(of: tag, toByteOffset: 8, as: UInt64.self)
            for index in 16..<length { raw[index] = UInt8(truncatingIfNeeded: tag) }
            count = length
        }
    }

    // MARK: - Writing

    var nextNumber: UInt64 { last + 1 }

    mutating func write(_ changes: [KeyChange]) async throws -> UInt64 {
        let number = last + 1
        // Readers see buffered writes at once, the others a little later.
        let durability: Durability = random.oneIn(50) ? .written : .buffered
        let given = try await store.write(durability: durability) { batch in
            for change in changes {
                if change.isRemoval {
                    batch.remove(keys.keys[change.rank])
                } else {
                    let expiry = ValueTag(change.rank, number).expiry
                    batch.put(
                        keys.keys[change.rank], Self.value(change.rank, number),
                        expires: expiry == 0 ? .never : .at(Timestamp(milliseconds: expiry)))
                }
            }
        }
        try expect(given == number, "write \(number) got the number \(given)")
        last = number
        return number
    }

    mutating func finish() async throws -> Tally {
        try expect(store.statistics.pinnedStates == 0, "a state is held without a reader")
        try await store.close()
        return Tally()
    }

    // MARK: - Reading

    private func number(_ value: RawSpan, _ rank: Int) throws -> UInt64 {
        try value.withUnsafeBytes { bytes in
            try expect(bytes.count >= 16, "a value of \(bytes.count) bytes")
            let number = bytes.loadUnaligned(as: UInt64.self)
            try expect(
                bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == ValueTag(rank, number).bits,
                "the value of another key or write: \(number)")
            return number
        }
    }

    func find(_ rank: Int) throws -> UInt64? {
        try store.withEntry(keys.keys[rank]) { value, _, _ in try number(value, rank) }
    }

    func pin(_ random: inout SeededRandom) throws -> ReadView { try store.readView() }

    func number(of pin: ReadView) -> UInt64 { pin.sequence }

    func find(_ rank: Int, in pin: ReadView) throws -> UInt64? {
        try pin.get(keys.keys[rank]).map { try number($0.span.bytes, rank) }
    }

    func scan(
        _ pin: ReadView, _ range: KeyRange, reversed: Bool,
        _ body: (UnsafeRawBufferPointer, UInt64?) throws -> Void
    ) throws {
        try pin.scan(range, reversed: reversed).forEach { key, value in
            try key.withUnsafeBytes { key in try body(key, keys.rank(of: key).map { try number(value, $0) }) }
            return .next
        }
    }

    // A read view is released with its last reference.
    func release(_ pin: ReadView) {}
}
