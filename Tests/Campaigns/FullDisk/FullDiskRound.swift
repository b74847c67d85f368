internal import Heartwood
internal import HeartwoodCampaignSupport
internal import HeartwoodFileSystem
internal import HeartwoodTesting

/// One store on one small disk that is filled, freed, and filled again.
struct FullDiskRound {
    struct Totals {
        var rounds = 0
        var accepted = 0
        var refused = 0
        var openingsOnFullDisk = 0
        var closesOnFullDisk = 0
        var drops = 0
        var resumptions = 0
        var newStores = 0
        var removals = 0
        var compactions = 0
    }

    let seed: UInt64
    let number: Int
    let disk: SmallDisk
    let configuration: Store.Configuration
    let writers: Int
    let sizes: Sizes
    let ledger = Ledger()
    let tell: (String) -> Void
    var ballast: Ballast
    /// What the store has laid ahead for itself can't be given back to it: these are, whatever else it took. One for
    /// the new store, one for the end.
    private var reserves: [Ballast]
    var random: SeededRandom
    private(set) var totals = Totals()
    /// The parts of a round, so that no key is used twice.
    var part = 0

    var path: String { disk.path + "/store" }

    init(seed: UInt64, number: Int, on disk: SmallDisk, tell: @escaping (String) -> Void) {
        var random = SeededRandom(seed, UInt64(number), 17)
        var configuration = Store.Configuration()
        // Where files are scarce, segments must be many.
        configuration.segmentBytes =
            disk.kind == .inodes ? 64 << 10 : random.pick([64 << 10, 256 << 10, 1 << 20, 4 << 20, 64 << 20])
        configuration.commitBufferBytes = random.pick([64 << 10, 256 << 10, 1 << 20])
        configuration.compression = random.oneIn(3) ? .zlib(level: 1, threshold: 64) : .off
        self.configuration = configuration
        self.seed = seed
        self.number = number
        self.disk = disk
        self.tell = tell
        writers = random.pick([1, 2, 4, 8, 16])
        sizes = disk.kind == .inodes ? .medium : random.pick(Sizes.allCases)
        ballast = Ballast(on: disk)
        reserves = [Ballast(on: disk, named: "reserve-0"), Ballast(on: disk, named: "reserve-1")]
        self.random = random
    }

    /// What was drawn, for a failure.
    var description: String {
        "\(writers) tasks, \(sizes) values, segments of \(configuration.segmentBytes) bytes, buffers of "
            + "\(configuration.commitBufferBytes)"
    }

    mutating func run() async throws {
        for index in reserves.indices { try reserves[index].take(oneOf: 8) }
        try ballast.take(oneOf: 3)
        var store: Store? = try await open()
        if disk.kind != .inodes { try await refuseTooLarge(store!) }
        try await fill(store!)
        try await resume(store!)
        try ballast.takeAll()
        try await fill(store!)
        for opening in 0..<2 {
            try await leaveOnFullDisk(store!)
            store = nil
            store = try await openOnFullDisk()
            try await refuseFirstWrite(store!)
            // Each opening that removes needs a file, and where files are scarce the reserve has one.
            if opening == 0 || disk.kind != .inodes { try await remove(20, from: store!) }
        }
        try await beginNewStore()
        ballast.takeOver(&reserves[1])
        try await resume(store!)
        try await empty(store!)
        try await end(store!)
        totals.rounds = 1
        totals.accepted = ledger.accepted
        totals.refused = ledger.refusals
    }

    // MARK: - Full

    /// Writes until the disk is full; everything that was acknowledged must be there, and nothing that was refused.
    private mutating func fill(_ store: Store) async throws {
        tell("filling the disk")
        // A file system may give room back some time after it was let go of: then it isn't full yet.
        var attempts = 0
        repeat {
            try await writeUntilRefused(store)
            attempts += 1
        } while store.state == .ready && attempts < 10
        guard store.state == .outOfSpace else {
            throw FullDiskFailure("after the last write was refused for want of space the state is \(store.state)")
        }
        let given = store.statistics.lastSequence
        guard given == ledger.highest else {
            throw FullDiskFailure("the last number is \(given), and the last one acknowledged \(ledger.highest)")
        }
        try ledger.compare(with: store)
    }

    /// A value that can't fit is refused, and takes nothing from those that can.
    private mutating func refuseTooLarge(_ store: Store) async throws {
        tell("writing a value that is too large")
        try await writeSmall(store, count: 3)
        let free = disk.freeBytes
        // The room that the store has laid already isn't counted as free.
        let value = ValuePattern(identity: 3, length: free + (16 << 20))
        try await expectRefusal("a value of \(value.length) bytes where \(free) were free") {
            try await store.put("too large", value.bytes)
        }
        ledger.noteRefused(["too large"])
        // What the store lays ahead meanwhile, in steps of up to 4 MiB, is of use to others.
        let left = disk.freeBytes
        guard free - left <= 12 << 20 else {
            throw FullDiskFailure("a refused value of \(value.length) bytes left \(left) of \(free) free bytes")
        }
        try await writeSmall(store, count: 3)
    }

    /// The first write of an opening needs a new segment, for which there is no room.
    private mutating func refuseFirstWrite(_ store: Store) async throws {
        try ballast.takeAll()
        // What an earlier opening was preparing goes first, and may be room enough.
        guard try temporaryFiles.isEmpty else {
            try await writeUntilRefused(store)
            return try ledger.compare(with: store)
        }
        try await expectRefusal("the first write on a full disk") { try await store.put("first", "1") }
        ledger.noteRefused(["first"])
        try ledger.compare(with: store)
    }

    /// Removes keys, one by one and several at a time, which a full disk accepts as long as there is a reserve.
    private mutating func remove(_ count: Int, from store: Store) async throws {
        tell("removing on the full disk")
        for number in 0..<count {
            let keys = ledger.keys
            guard let first = keys.indices.randomElement(using: &random) else { return }
            let removed = Array(keys[first...].prefix(number % 3 + 1))
            let durability = random.pick([Durability.synced, .written])
            let sequence =
                removed.count == 1
                ? try await store.remove(removed[0], durability: durability)
                : try await store.write(durability: durability) { batch in
                    for key in removed { batch.remove(key) }
                }
            ledger.noteRemoved(removed, sequence: sequence)
        }
        totals.removals += count
        try await expectRefusal("a write beside removals") { try await store.put("beside", "1") }
        ledger.noteRefused(["beside"])
        try ledger.compare(with: store)
    }

    /// Removes all keys on the full disk and compacts, which gives the space back.
    private mutating func empty(_ store: Store) async throws {
        // As many as the reserve has space for.
        try await remove(all: ledger.keys.dropFirst(1_500), from: store)
        try ballast.takeAll()
        try await fill(store)
        try ballast.takeAll()
        tell("emptying the store on the full disk")
        try await remove(all: ledger.keys[...], from: store)
        try await expectRefusal("a write to an emptied store") { try await store.put("emptied", "1") }
        ledger.noteRefused(["emptied"])
        try ballast.takeAll()
        let report = try await store.compact()
        guard report.snapshot?.keys == 0, report.heldFiles == 0 else {
            throw FullDiskFailure("an emptied store was compacted to \(report)")
        }
        try await wait("the state is ready again, after the compaction") { store.state == .ready }
        try await writeSmall(store, count: 4)
        try ledger.compare(with: store)
        totals.compactions += 1
    }

    private mutating func remove(all keys: ArraySlice<String>, from store: Store) async throws {
        var rest = keys
        while !rest.isEmpty {
            let removed = Array(rest.prefix(100))
            rest = rest.dropFirst(100)
            let sequence = try await store.write { batch in for key in removed { batch.remove(key) } }
            ledger.noteRemoved(removed, sequence: sequence)
            totals.removals += 1
        }
    }

    /// Files in preparation, without the reserve.
    private var temporaryFiles: [String] {
        get throws {
            try POSIXFileSystem().contents(ofDirectory: path).filter {
                $0.hasSuffix(".tmp") && !$0.hasPrefix("reserve-")
            }
        }
    }

    // MARK: - Room again

    /// Gives the ballast back. The store must take writes again by itself.
    private mutating func resume(_ store: Store) async throws {
        tell("waiting for the store to resume")
        if random.oneIn(2) {
            // Nobody writes meanwhile.
            try ballast.give()
            try await wait("the state is ready again") { store.state == .ready }
        } else {
            try await writeWhileBallastIsGiven(store)
        }
        try await writeSmall(store, count: 4)
        guard store.state == .ready else { throw FullDiskFailure("the state is \(store.state), with room") }
        try ledger.compare(with: store)
        totals.resumptions += 1
    }

    // MARK: - Opening and ending

    func open(at path: String? = nil) async throws -> Store {
        // The last reference to a store that was dropped may be let go a moment later, by another thread.
        for _ in 0..<1_000 {
            do throws(StoreError) {
                return try await Store.open(at: path ?? self.path, configuration: configuration)
            } catch {
                guard error.code == .locked else { throw error }
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw FullDiskFailure("the store stays locked")
    }

    /// Closes the store, or leaves it to be dropped.
    private mutating func leaveOnFullDisk(_ store: Store) async throws {
        tell("closing or dropping on the full disk")
        if random.oneIn(2) {
            try await store.close()
            totals.closesOnFullDisk += 1
        } else {
            if random.oneIn(2) { _ = try await store.flush() }
            totals.drops += 1
        }
    }

    private mutating func openOnFullDisk() async throws -> Store {
        tell("opening on the full disk")
        // A close gives the room back that was laid ahead.
        try ballast.takeAll()
        let store = try await open()
        totals.openingsOnFullDisk += 1
        try ledger.forget(behind: store.recoveryReport.lastSequence)
        try ledger.compare(with: store)
        return store
    }

    /// A store that is made on a full disk is refused, with the remedy, and is as any other once there is room.
    private mutating func beginNewStore() async throws {
        tell("making a store on the full disk")
        try ballast.takeAll()
        let path = disk.path + "/new"
        try await expectRefusal("a new store on a full disk") {
            let store = try await open(at: path)
            try await store.put("a", "1")
        }
        try reserves[0].give()
        try ballast.give()
        let store = try await open(at: path)
        guard store.recoveryReport.tail == .new else {
            throw FullDiskFailure("a store that was never made is \(store.recoveryReport.tail)")
        }
        let sequence = try await store.put("a", "1")
        guard sequence == 1 else { throw FullDiskFailure("a refused write had number \(sequence - 1)") }
        try await store.close()
        TemporaryDirectory.remove(path)
        try ballast.takeAll()
        totals.newStores += 1
    }

    private mutating func end(_ store: Store) async throws {
        tell("closing")
        try await store.close()
        let names = try temporaryFiles
        guard names.isEmpty else { throw FullDiskFailure("a close leaves \(names)") }
        let again = try await open()
        guard again.recoveryReport.tail == .closed else {
            throw FullDiskFailure("the store was closed, and its tail is \(again.recoveryReport.tail)")
        }
        try ledger.compare(with: again)
        try await again.close()
    }
}
