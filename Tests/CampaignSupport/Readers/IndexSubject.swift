internal import Heartwood
internal import HeartwoodTesting

/// The index alone, with versions that have no records.
struct IndexSubject: ReadSubject {
    let keys: ReaderKeys
    private let index = VersionedIndex()
    private var last: UInt64 = 0
    private var visible: UInt64 = 0
    private var random: SeededRandom

    init(keys: ReaderKeys, seed: UInt64) {
        self.keys = keys
        random = SeededRandom(seed, 12)
    }

    // An address is the number of the write, followed by sixteen bits that count its changes.
    private static func address(_ number: UInt64, _ part: Int) -> UInt64 { number << 16 | UInt64(part) }
    private static func end(_ number: UInt64) -> UInt64 { number << 16 | 0xFFFF }

    private static func version(_ rank: Int, _ number: UInt64, _ part: Int, isRemoval: Bool) -> Version {
        let tag = ValueTag(rank, number)
        return Version(
            location: RecordLocation(address: address(number, part), length: 8 * Int(1 + tag.bits >> 8 % 500)),
            expiry: isRemoval ? 0 : tag.expiry, isTombstone: isRemoval)
    }

    // MARK: - Writing

    var nextNumber: UInt64 { last + 1 }

    mutating func write(_ changes: [KeyChange]) throws -> UInt64 {
        last += 1
        let number = last
        let publish = random.oneIn(2)
        let keys = keys
        index.apply(
            sequence: number, addresses: Self.address(number, 0)...Self.end(number), count: changes.count,
            publish: publish
        ) { writer in
            for (part, change) in changes.enumerated() {
                let version = Self.version(change.rank, number, part, isRemoval: change.isRemoval)
                keys.keys[change.rank].withUnsafeBytes { writer.add(key: $0, version: version) }
            }
        }
        if publish {
            visible = number
        } else if random.oneIn(6) {
            visible = UInt64(random.number(in: Int(visible)...Int(number)))
            index.publish(Self.end(visible), visible)
        }
        return visible
    }

    mutating func finish() throws -> Tally {
        visible = last
        index.publish(Self.end(last), last)
        index.prune()
        if let fault = index.checkInvariants() { throw Violation("the index is unsound: \(fault)") }
        let statistics = index.statistics
        try expect(
            statistics.readPoints == 0 && statistics.versions == statistics.keys,
            "versions are kept that no reader can see: \(statistics)")
        var churn = Tally()
        churn.splits = index.churn.splits
        churn.merges = index.churn.merges
        churn.freedNodes = index.churn.freedNodes
        churn.reusedNodes = index.churn.madeNodes - index.churn.pages
        return churn
    }

    // MARK: - Reading

    private func number(_ version: Version, _ rank: Int) throws -> UInt64 {
        let number = version.address >> 16
        let part = Int(version.address & 0xFFFF)
        try expect(
            version == Self.version(rank, number, part, isRemoval: false),
            "the version of another key or write: \(version)")
        return number
    }

    func find(_ rank: Int) throws -> UInt64? {
        let version = keys.keys[rank].withUnsafeBytes { index.find($0, at: nil) }
        return try version.map { try number($0, rank) }
    }

    func pin(_ random: inout SeededRandom) -> ReadPoint { index.pin(newest: random.oneIn(4)) }

    func number(of pin: ReadPoint) -> UInt64 { pin.sequence }

    func find(_ rank: Int, in pin: ReadPoint) throws -> UInt64? {
        let version = keys.keys[rank].withUnsafeBytes { index.find($0, at: pin.address) }
        return try version.map { try number($0, rank) }
    }

    func scan(
        _ pin: ReadPoint, _ range: KeyRange, reversed: Bool,
        _ body: (UnsafeRawBufferPointer, UInt64?) throws -> Void
    ) throws {
        var failure: (any Error)?
        index.forEach(in: range, at: pin.address, reversed: reversed) { key, version in
            do {
                try body(key, keys.rank(of: key).map { try number(version, $0) })
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }

    func release(_ pin: ReadPoint) { index.release(pin) }
}
