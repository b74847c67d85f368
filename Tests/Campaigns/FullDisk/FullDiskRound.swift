internal import Heartwood
internal import HeartwoodCampaignSupport
internal import HeartwoodFileSystem
internal import HeartwoodTesting

/// One store on one small disk that is filled, freed, and filled again.
struct FullDiskRound {
    let seed: UInt64
    let number: Int
    let disk: SmallDisk
    let configuration: Store.Configuration
    let writers: Int
    let sizes: Sizes
    let ledger = Ledger()
    let showStep: (String) -> Void
    var ballast: Ballast
    /// Space that can be freed later, however much the store has preallocated for itself. One for the new store, one
    /// for the end.
    private var reserves: [Ballast]
    var random: SeededRandom
    /// Of all rounds so far.
    private(set) var totals: Tally
    /// The number of the current part of the round, so that no key is used twice.
    var part = 0

    var path: String { disk.path + "/store" }

    init(
        seed: UInt64, number: Int, on disk: SmallDisk, totals: Tally, showStep: @escaping (String) -> Void
    ) {
        var random = SeededRandom(seed, UInt64(number), 17)
        var configuration = Store.Configuration()
        // If inodes are scarce, there must be many segments.
        configuration.segmentBytes =
            disk.kind == .inodes ? 64 << 10 : random.pick([64 << 10, 256 << 10, 1 << 20, 4 << 20, 64 << 20])
        configuration.commitBufferBytes = random.pick([64 << 10, 256 << 10, 1 << 20])
        configuration.compression = random.oneIn(3) ? .zlib(level: 1, threshold: 64) : .off
        (self.seed, self.number, self.disk, self.configuration) = (seed, number, disk, configuration)
        (self.showStep, self.totals) = (showStep, totals)
        writers = random.pick([1, 2, 4, 8, 16])
        sizes = disk.kind == .inodes ? .medium : random.pick(Sizes.allCases)
        ballast = Ballast(on: disk)
        reserves = [Ballast(on: disk, named: "reserve-0"), Ballast(on: disk, named: "reserve-1")]
        self.random = random
    }

    /// The drawn parameters, for the report of a failure.
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
            try await closeOrDrop(store!)
            store = nil
            store = try await openOnFullDisk()
            try await refuseFirstWrite(store!)
            // Each opening that removes needs a file; if inodes are scarce, the reserve has one.
            if opening == 0 || disk.kind != .inodes { try await remove(20, from: store!) }
        }
        try await beginNewStore()
        ballast.takeOver(&reserves[1])
        try await resume(store!)
        try await empty(store!)
        try await end(store!)
        totals.rounds += 1
        totals.accepted += ledger.accepted
        totals.refused += ledger.refusals
    }

    // MARK: - Full

    /// Writes until the disk is full, then checks that the store has everything acknowledged and nothing refused.
    private mutating func fill(_ store: Store, addsKeys: Bool = true) async throws {
        showStep("filling the disk")
        // A file system may free space with a delay: then the disk isn't full yet.
        var attempts = 0
        repeat {
            try await writeUntilRefused(store, addsKeys: addsKeys)
            attempts += 1
        } while store.state == .ready && attempts < 10
        try expect(
            store.state == .outOfSpace,
            "after the last write was refused because the disk is full, the state is \(store.state)")
        let given = store.statistics.lastSequence
        try expect(
            given == ledger.highest, "the last number is \(given), and the last one acknowledged \(ledger.highest)")
        try ledger.compare(with: store)
    }

    /// A value that can't fit is refused, and takes no space from values that can.
    private mutating func refuseTooLarge(_ store: Store) async throws {
        showStep("writing a value that is too large")
        try await writeSmall(store, count: 3)
        let free = disk.freeBytes
        // Preallocated space isn't counted as free.
        let value = ValuePattern(identity: 3, length: free + (16 << 20))
        try await expectRefusal("a value of \(value.length) bytes where \(free) were free") {
            try await store.put("too large", value.bytes)
        }
        ledger.noteRefused(["too large"])
        // The store may have preallocated for other values meanwhile, in steps of up to 4 MiB.
        let left = disk.freeBytes
        try expect(
            free - left <= 12 << 20, "a refused value of \(value.length) bytes left \(left) of \(free) free bytes")
        try await writeSmall(store, count: 3)
    }

    /// The first write of an opening needs a new segment, for which there is no space.
    private mutating func refuseFirstWrite(_ store: Store) async throws {
        try ballast.takeAll()
        // The temporary files of an earlier opening are removed first, which may free enough space.
        guard try temporaryFiles.isEmpty else {
            try await writeUntilRefused(store)
            return try ledger.compare(with: store)
        }
        try await refuse("the first write on a full disk", of: "first", in: store)
        try ledger.compare(with: store)
    }

    /// Removes keys, one by one and several at a time. A full store accepts that as long as there is a reserve.
    private mutating func remove(_ count: Int, from store: Store) async throws {
        showStep("removing on the full disk")
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
        try await refuse("a write between removals", of: "between", in: store)
        try ledger.compare(with: store)
    }

    /// Removes all keys on the full disk and compacts, which frees the space.
    private mutating func empty(_ store: Store) async throws {
        // Leaves as many keys as the reserve has space to remove.
        try await remove(all: ledger.keys.dropFirst(1_500), from: store)
        try ballast.takeAll()
        try await fill(store, addsKeys: false)
        try ballast.takeAll()
        showStep("emptying the store on the full disk")
        try await remove(all: ledger.keys[...], from: store)
        try await refuse("a write to an emptied store", of: "emptied", in: store)
        try ballast.takeAll()
        let report = try await store.compact()
        try expect(report.snapshot?.keys == 0 && report.pinnedFiles == 0, "an emptied store was compacted to \(report)")
        try await wait("the state is ready again, after the compaction") { store.state == .ready }
        try await writeSmall(store, count: 4)
        try ledger.compare(with: store)
        totals.compactions += 1
    }

    /// Checks that a small write is refused. ext4 frees the blocks of removed files later, perhaps when the disk was
    /// found to be full already. A write that gets them is removed again, so that it leaves no key.
    private mutating func refuse(_ what: String, of key: String, in store: Store) async throws {
        let value = ValuePattern(identity: random.next(), length: 1)
        for _ in 0..<20 {
            try ballast.takeAll()
            do throws(StoreError) {
                let sequence = try await store.put(key, value.bytes)
                ledger.noteAccepted([key: value], sequence: sequence)
            } catch {
                try Self.checkRefusal(error, what)
                return ledger.noteRefused([key])
            }
            ledger.noteRemoved([key], sequence: try await store.remove(key))
        }
        throw Violation("\(what) was not refused")
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

    // MARK: - Free space again

    /// Removes the ballast. The store must accept writes again automatically.
    private mutating func resume(_ store: Store) async throws {
        showStep("waiting for the store to resume")
        if random.oneIn(2) {
            // Without any write meanwhile.
            try ballast.remove()
            try await wait("the state is ready again") { store.state == .ready }
        } else {
            try await writeWhileBallastIsRemoved(store)
        }
        try await writeSmall(store, count: 4)
        // Small writes may have fitted into what was left, before the store looked for space again.
        try await wait("the state is ready, with free space") { store.state == .ready }
        try ledger.compare(with: store)
        totals.resumptions += 1
    }

    // MARK: - Opening and ending

    func open(at path: String? = nil) async throws -> Store {
        let (path, configuration) = (path ?? self.path, configuration)
        return try await openWhenUnlocked { try await Store.open(at: path, configuration: configuration) }
    }

    /// Closes the store, or leaves it to be dropped.
    private mutating func closeOrDrop(_ store: Store) async throws {
        showStep("closing or dropping on the full disk")
        if random.oneIn(2) {
            try await store.close()
            totals.closesOnFullDisk += 1
        } else {
            if random.oneIn(2) { _ = try await store.sync() }
            totals.drops += 1
        }
    }

    private mutating func openOnFullDisk() async throws -> Store {
        showStep("opening on the full disk")
        // The close has freed the preallocated space.
        try ballast.takeAll()
        let store = try await open()
        totals.openingsOnFullDisk += 1
        try ledger.forget(after: store.recoveryReport.lastSequence)
        try ledger.compare(with: store)
        return store
    }

    /// Making a store on a full disk is refused with a remedy, and succeeds once there is space.
    private mutating func beginNewStore() async throws {
        showStep("making a store on the full disk")
        try ballast.takeAll()
        let path = disk.path + "/new"
        try await expectRefusal("a new store on a full disk") {
            let store = try await open(at: path)
            try await store.put("a", "1")
        }
        try reserves[0].remove()
        try ballast.remove()
        let store = try await open(at: path)
        try expect(store.recoveryReport.tail == .new, "a store that could not be made is \(store.recoveryReport.tail)")
        let sequence = try await store.put("a", "1")
        guard sequence == 1 else { throw Violation("a refused write had number \(sequence - 1)") }
        try await store.close()
        TemporaryDirectory.remove(path)
        try ballast.takeAll()
        totals.newStores += 1
    }

    private mutating func end(_ store: Store) async throws {
        showStep("closing")
        try await store.close()
        let names = try temporaryFiles
        guard names.isEmpty else { throw Violation("a close leaves \(names)") }
        let again = try await open()
        try expect(
            again.recoveryReport.tail == .closed, "the store was closed, and its tail is \(again.recoveryReport.tail)")
        try ledger.compare(with: again)
        try await again.close()
    }
}
