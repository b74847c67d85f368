internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import HeartwoodTesting

/// Writes a store in several openings that end in different ways, and notes what was written.
package struct HistoryWriter {
    private static let start: UInt64 = 1_700_000_000_000

    private let seed: UInt64
    private var random: SeededRandom
    private var disk: SimulatedDisk
    private let clock = ManualClock(milliseconds: Self.start)
    private let delays = ManualDelays()
    private let segmentBytes: Int
    private let compression: Compression
    private let retention: LogRetention
    private let keyCount: Int
    private var history = RepairHistory()

    private init(seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed, 80)
        disk = SimulatedDisk(seed: seed)
        segmentBytes = random.pick([16, 16, 16, 24, 40]) << 10
        compression = random.oneIn(2) ? .zlib(level: 1, threshold: 100) : .off
        retention = random.pick([.none, .none, .everything, .bytes(40_000)])
        keyCount = random.pick([6, 20, 60])
    }

    /// The same seed gives the same history.
    ///
    /// - Throws: `Violation` if the store breaks a promise while it is written.
    package static func write(seed: UInt64) async throws -> RepairHistory {
        for attempt in 0..<20 as Range<UInt64> {
            var writer = HistoryWriter(seed: SeededRandom.mix(seed) &+ attempt)
            // A crash may leave nothing of a store.
            if let history = try await writer.run() { return history }
        }
        throw Violation("no history of seed \(seed) has left a file")
    }

    private mutating func run() async throws -> RepairHistory? {
        let count = random.pick([1, 2, 2, 3, 4])
        for _ in 0..<count { try await life() }
        return try finished()
    }

    // MARK: - One opening

    private mutating func life() async throws {
        let store = try Store(openingAt: DirectoryImage.path, configuration: configuration(disk))
        store.settle()
        let recovered = store.recoveryReport.lastSequence
        for sequence in history.changes.keys where sequence > recovered { history.dead.insert(sequence) }
        // Some openings write nothing.
        for _ in 0..<random.pick([0, 2, 8, 20, 35]) {
            try await step(store)
            if random.oneIn(4) { noteFiles() }
        }
        try await end(store)
    }

    private mutating func step(_ store: Store) async throws {
        clock.set(clock.now().milliseconds + UInt64(random.below(3_000)))
        switch random.below(24) {
        case 0:
            _ = try await store.compact()
            store.settle()
            store.settleCompaction()
        case 1, 2: try await store.sync()
        case 3, 4: store.moveDelays(delays, by: random.pick([20_000_000, 60_000_000, 2_000_000_000]))
        default: try await write(to: store)
        }
        store.settle()
    }

    private mutating func write(to store: Store) async throws {
        var changes: [RepairHistory.Change] = []
        for _ in 0..<random.pick([1, 1, 1, 2, 3, 6]) { changes.append(change()) }
        var batch = store.makeBatch()
        for change in changes {
            if let value = change.value {
                let expires = change.expires == 0 ? Expiry.never : .at(Timestamp(milliseconds: change.expires))
                batch.put(change.key, value, expires: expires)
            } else {
                batch.remove(change.key)
            }
        }
        let durability = random.pick([Durability.buffered, .buffered, .written, .written, .synced])
        let sequence = try await store.write(batch, durability: durability)
        try expect(history.changes.updateValue(changes, forKey: sequence) == nil, "number \(sequence) was given twice")
    }

    private mutating func change() -> RepairHistory.Change {
        let number = random.below(keyCount)
        var key = Array("key \(number)".utf8)
        if number % 7 == 3 { key += Array(repeatElement(Array("/and more of it".utf8), count: number).joined()) }
        if random.oneIn(6) { return RepairHistory.Change(key: key, value: nil) }
        let length = random.pick([0, 3, 20, 60, 250, 250, 900, 2_500, random.oneIn(6) ? 20_000 : 40])
        var change = RepairHistory.Change(key: key, value: value(length))
        if random.oneIn(6) { change.expires = clock.now().milliseconds + UInt64(random.pick([1, 5_000, 1 << 40])) }
        return change
    }

    private mutating func value(_ length: Int) -> [UInt8] {
        let identity = random.next()
        if random.oneIn(2) { return ValuePattern(identity: identity, length: length).bytes }
        // Compressible, and different each time.
        return Array(
            repeatElement(Array("\(identity % 1_000_000) ".utf8), count: length / 7 + 1).joined().prefix(length))
    }

    private mutating func end(_ store: Store) async throws {
        switch random.below(5) {
        case 0, 1:
            try await store.close()
            noteFiles()
            disk = SimulatedDisk(image: disk.image, seed: random.next())
        case 2: disk = SimulatedDisk(image: disk.image, seed: random.next())
        default:
            let crash = disk.crash(losing: .drawn(random.next()))
            // Pending writes may never have been on the disk.
            history.earlier = [:]
            disk = SimulatedDisk(image: crash.image, seed: random.next())
        }
    }

    /// Notes the present state of each file.
    private mutating func noteFiles() {
        let image = disk.image
        for path in image.files where path.hasPrefix(DirectoryImage.path) {
            let name = String(path.dropFirst(DirectoryImage.path.count + 1))
            guard name.hasSuffix(".log") || name.hasSuffix(".snapshot"), let bytes = image[path: path] else { continue }
            let states = history.earlier[name] ?? []
            if states.count < 8, states.last != bytes { history.earlier[name, default: []].append(bytes) }
        }
    }

    // MARK: - The end

    private mutating func finished() throws -> RepairHistory? {
        let image = disk.image
        for path in image.files where path.hasPrefix(DirectoryImage.path) {
            history.image.files[String(path.dropFirst(DirectoryImage.path.count + 1))] = image[path: path]
        }
        guard !history.image.logs.isEmpty || !history.image.snapshots.isEmpty else { return nil }
        history.time = clock.now().milliseconds + 10_000
        clock.set(history.time)
        let store = try Store(openingAt: DirectoryImage.path, configuration: configuration(disk))
        let recovered = store.recoveryReport.lastSequence
        try history.finish(recovered: recovered)
        let found = try StoreReplica(store.readView()).contents
        try expect(
            found == history.state,
            "seed \(seed): the undamaged store holds \(RepairHistory.difference(found, history.state))")
        return history
    }

    private func configuration(_ disk: SimulatedDisk) -> Store.Configuration {
        var configuration = Store.Configuration.quiet(disk, clock, delays)
        configuration.segmentBytes = segmentBytes
        configuration.compression = compression
        configuration.logRetention = retention
        return configuration
    }
}

extension RepairHistory {
    /// A few keys that differ, with their sequence numbers.
    static func difference(_ left: [Key: Found], _ right: [Key: Found]) -> String {
        let keys = Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }
        return keys.sorted { $0.lexicographicallyPrecedes($1) }.prefix(4).map { key in
            "\(name(of: key)): \(left[key].map { "\($0.sequence)" } ?? "nothing") instead of "
                + "\(right[key].map { "\($0.sequence)" } ?? "nothing")"
        }.joined(separator: ", ")
    }

    static func name(of key: Key) -> String { String(decoding: key.prefix(24), as: UTF8.self) }
}
