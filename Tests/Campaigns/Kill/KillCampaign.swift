internal import Heartwood
internal import HeartwoodCampaignSupport
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Rounds on the same store: a child writes and is killed, and the parent checks what is left.
struct KillCampaign {
    let seed: UInt64
    private let directory: String
    /// The current store, and its decoy.
    private(set) var places: StorePlaces
    var path: String { places.store }
    /// The files of the decoy, which must not change.
    private var decoy = DirectoryImage()
    private(set) var totals = Tally()
    var acknowledged: Int { totals.synced + totals.written + totals.buffered }
    private var expected = ExpectedStore()
    /// The size of the store: a new one is begun before reading it takes long.
    private var bytes: UInt64 = 0
    private var segments = 0
    private var isFirst = true

    init(seed: UInt64, directory: String) {
        self.seed = seed
        self.directory = directory
        places = StorePlaces(in: directory, "store-0")
    }

    mutating func run(_ round: Int) async throws {
        let plan = RoundPlan(seed: seed, round: round)
        if isFirst || plan.isFresh || bytes > 128 << 20 || segments > 500 {
            try await beginStore(round)
        }
        let (acknowledgements, wasOpened) = try runChild(plan)
        totals.kills += 1
        totals.early += wasOpened ? 0 : 1
        totals.relative += plan.isRelative && wasOpened ? 1 : 0
        try expect(
            DirectoryImage(of: POSIXFileSystem(), at: places.decoy).files == decoy.files,
            "the store in \(places.decoy), which the child hasn't opened, has changed")
        try await check(plan, acknowledgements)
    }

    private mutating func beginStore(_ round: Int) async throws {
        places.remove()
        places = StorePlaces(in: directory, "store-\(round)")
        let store = try await Store.open(at: places.decoy)
        for number in 0..<20 { try await store.put("decoy \(number)", "untouched", durability: .buffered) }
        try await store.close()
        decoy = try DirectoryImage(of: POSIXFileSystem(), at: places.decoy)
        expected = ExpectedStore()
        (bytes, segments, isFirst) = (0, 0, false)
    }

    // MARK: - The child

    private mutating func runChild(_ plan: RoundPlan) throws -> (acknowledgements: [Acknowledgement], wasOpened: Bool) {
        var child = try ChildProcess(arguments: [
            "write-until-killed", "--seed", "\(seed)", "--round", "\(plan.round)", "--directory", path,
            "--decoy", places.decoy,
        ])
        var deadline: ContinuousClock.Instant?
        if plan.countsFromStart { deadline = .now + .milliseconds(plan.delay) }
        var acknowledgements: [Acknowledgement] = []
        var wasOpened = false
        let complaint = child.run(until: { deadline }) { message in
            switch message {
            case .opened:
                wasOpened = true
                if deadline == nil { deadline = .now + .milliseconds(plan.delay) }
            case .acknowledged(let one): acknowledgements.append(one)
            case .failed: break
            }
        }
        totals.moved += try places.putBack() ? 1 : 0
        if let complaint { throw Violation("the child reports: \(complaint)") }
        return (acknowledgements, wasOpened)
    }

    // MARK: - The store after the kill

    private mutating func check(_ plan: RoundPlan, _ acknowledgements: [Acknowledgement]) async throws {
        let isUnfinished = hasUnfinishedSnapshot()
        var store: Store? = try await open(plan)
        let report = store!.recoveryReport
        let covered = expected.coveredSequence
        let findings = try expected.judge(acknowledgements, of: plan.work, in: store!)
        totals += findings
        totals.snapshots += expected.coveredSequence > covered ? 1 : 0
        totals.unfinishedSnapshots += isUnfinished ? 1 : 0
        if case .torn = report.tail { totals.tornTails += 1 }
        totals.segments += max(0, report.segments - segments)
        (segments, bytes) = (report.segments, report.bytes)
        if plan.writesAfterwards { try await write(to: store!, plan) }
        if plan.closesAfterwards { try await store!.close() }
        store = nil
        if plan.reopensAfterwards {
            store = try await open(plan)
            try expected.judgeAgain(store!)
            segments = store!.recoveryReport.segments
            store = nil
        }
    }

    private func hasUnfinishedSnapshot() -> Bool {
        let names = (try? POSIXFileSystem().contents(ofDirectory: path)) ?? []
        return names.contains(StoreFileName.newSnapshotName)
    }

    private mutating func write(to store: Store, _ plan: RoundPlan) async throws {
        let number = UInt64(plan.round)
        let sequence = try await store.put(ExpectedStore.parentKey, littleEndianBytes(of: number), durability: .synced)
        try expected.parentWrote(number, sequence)
    }

    private func open(_ plan: RoundPlan) async throws -> Store {
        let path = path
        return try await openWhenUnlocked { try await Store.open(at: path, configuration: plan.configuration) }
    }
}
