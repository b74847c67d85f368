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
        let mark = WrittenMark(rank, number).bits
        let length = 16 + Int(mark >> 8 % (mark % 256 == 0 ? 9_000 : 40))
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            raw.storeBytes(of: number, as: UInt64.self)
            raw.storeBytes(of: mark, toByteOffset: 8, as: UInt64.self)
            for index in 16..<length { raw[index] = UInt8(truncatingIfNeeded: mark) }
            count = length
        }
    }

    // MARK: - Writing

    var nextNumber: UInt64 { last + 1 }

    mutating func write(_ changes: [KeyChange]) async throws -> UInt64 {
        let number = last + 1
        // Readers see what is buffered at once; the others pend for a moment.
        let durability: Durability = random.oneIn(50) ? .written : .buffered
        let given = try await store.write(durability: durability) { batch in
            for change in changes {
                if change.isRemoval {
                    batch.remove(keys.keys[change.rank])
                } else {
                    let expiry = WrittenMark(change.rank, number).expiry
                    batch.put(
                        keys.keys[change.rank], Self.value(change.rank, number),
                        expires: expiry == 0 ? .never : .at(Timestamp(milliseconds: expiry)))
                }
            }
        }
        guard given == number else { throw ReadViolation("write \(number) got the number \(given)") }
        last = number
        return number
    }

    mutating func finish() async throws -> Churn {
        guard store.statistics.heldStates == 0 else { throw ReadViolation("a state is held that nobody holds") }
        try await store.close()
        return Churn()
    }

    // MARK: - Reading

    private func number(_ value: RawSpan, _ rank: Int) throws -> UInt64 {
        try value.withUnsafeBytes { bytes in
            guard bytes.count >= 16 else { throw ReadViolation("a value of \(bytes.count) bytes") }
            let number = bytes.loadUnaligned(as: UInt64.self)
            guard bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == WrittenMark(rank, number).bits else {
                throw ReadViolation("the value of another key or write: \(number)")
            }
            return number
        }
    }

    func find(_ rank: Int) throws -> UInt64? {
        try store.withValue(keys.keys[rank]) { try number($0, rank) }
    }

    func hold(_ random: inout SeededRandom) throws -> ReadView { try store.readView() }

    func number(of held: ReadView) -> UInt64 { held.sequence }

    func find(_ rank: Int, in held: ReadView) throws -> UInt64? {
        try held.get(keys.keys[rank]).map { try number($0.span.bytes, rank) }
    }

    func scan(
        _ held: ReadView, _ range: KeyRange, reversed: Bool,
        _ body: (UnsafeRawBufferPointer, UInt64?) throws -> Void
    ) throws {
        try held.forEachRecord(in: range, reversed: reversed) { key, value in
            try key.withUnsafeBytes { key in try body(key, keys.rank(of: key).map { try number(value, $0) }) }
            return .next
        }
    }

    // It goes with its last reference.
    func release(_ held: ReadView) {}
}
