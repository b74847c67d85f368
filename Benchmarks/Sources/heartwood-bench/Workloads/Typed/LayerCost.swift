internal import Heartwood
internal import HeartwoodRepository

/// What the typed layer adds to a write or a read: a repository without indexes whose coder only passes prepared bytes,
/// and the same keys and values by the store's own calls, in turns.
enum LayerCost {
    /// Records. Few, so that the processor's caches hold what both sides need.
    private static let count = 10_000
    /// Operations of one side, before the other side goes on.
    private static let slice = 2_000

    static func measure(_ cell: Cell, isSave: Bool) async throws -> Measured {
        let sides = try await Sides(cell, count: count)
        let start = Ticks.now
        let times = try await Task { try await run(sides, until: start + cell.nanoseconds, isSave: isSave) }.value
        var measured = Measured(2 * slice * times.repository.count, since: start)
        let (repository, store) = (median(times.repository), median(times.store))
        measured.figures[.repositoryNanoseconds] = repository
        measured.figures[.storeNanoseconds] = store
        measured.figures[.layerNanoseconds] = repository - store
        try await sides.check()
        try await sides.close()
        return measured
    }

    /// Nanoseconds per operation of each slice.
    private struct Times: Sendable {
        var repository: [Double] = []
        var store: [Double] = []
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func run(_ sides: Sides, until deadline: UInt64, isSave: Bool) async throws -> Times {
        var times = Times()
        var random = SplitMix64(seed: 7)
        while true {
            let first = Ticks.now
            var found = 0
            if isSave {
                for _ in 0..<slice {
                    try await sides.repository.save(Plain(id: random.next(below: count)), durability: .buffered)
                }
            } else {
                for _ in 0..<slice {
                    let number = random.next(below: count)
                    if try await sides.repository.find(by: number)?.id == number { found += 1 }
                }
            }
            let second = Ticks.now
            if isSave {
                for _ in 0..<slice {
                    try await sides.store.put(sides.keys[random.next(below: count)], sides.value, durability: .buffered)
                }
            } else {
                for _ in 0..<slice {
                    let bytes = try await sides.store.fetch(sides.keys[random.next(below: count)])
                    if bytes?.count == sides.value.count { found += 1 }
                }
            }
            let third = Ticks.now
            if !isSave, found != 2 * slice {
                throw WrongResult("a record wasn't found, or has other bytes")
            }
            times.repository.append(Double(second - first) / Double(slice))
            times.store.append(Double(third - second) / Double(slice))
            if third >= deadline { return times }
        }
    }

    /// A repository and a store with the same keys and values.
    private struct Sides: Sendable {
        let repository: Repository<Plain>
        let below: Store
        let store: Store
        let keys: [[UInt8]]
        let value: [UInt8]

        init(_ cell: Cell, count: Int) async throws {
            below = try await cell.openManual(cell.newDirectory("layer"))
            store = try await cell.openManual(cell.newDirectory("bytes"))
            repository = try await below.repository(of: Plain.self, named: "plain", coder: PlainCoder())
            try await repository.save((0..<count).map { Plain(id: $0) }, durability: .buffered)
            // What the repository has written, key by key.
            let page = try await below.fetchEntries(in: .all, reversed: false, limit: count + 10)
            let records = page.entries.filter { $0.value.suffix(Plain.padding.count) == Plain.padding[...] }
            guard records.count == count, let value = records.first?.value else {
                throw WrongResult("the repository has \(records.count) records instead of \(count)")
            }
            (keys, self.value) = (records.map(\.key), value)
            for record in records { try await store.put(record.key, value, durability: .buffered) }
            // Reads come from files, not from what is still to be written.
            for store in [below, store] { _ = try await store.compact() }
        }

        func check() async throws {
            guard try await repository.count() == keys.count, try await store.fetchCount(in: .all) == keys.count else {
                throw WrongResult("records are missing, or there are too many")
            }
        }

        func close() async throws { for store in [below, store] { try await store.close() } }
    }
}

/// A record whose bytes are prepared, but for its id.
private struct Plain: Codable, Identifiable, Sendable {
    var id: Int

    static let padding = [UInt8](repeating: 0x2E, count: 92)
}

/// Only the id is encoded and decoded.
private struct PlainCoder: ModelCoder {
    let name = "plain"
    private let prepared = [UInt8](repeating: 0, count: 8) + Plain.padding

    func encode(_ value: some Encodable) throws -> [UInt8] {
        guard let record = value as? Plain else { throw WrongResult("another type is encoded") }
        var bytes = prepared
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: record.id, as: Int.self) }
        return bytes
    }

    func decode<T: Decodable>(_ type: T.Type, from bytes: RawSpan) throws -> T {
        let id = bytes.unsafeLoadUnaligned(as: Int.self)
        guard let record = Plain(id: id) as? T else { throw WrongResult("another type is decoded") }
        return record
    }
}
