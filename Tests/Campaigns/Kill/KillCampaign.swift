internal import Heartwood
internal import HeartwoodCampaignSupport
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Rounds on the same store: a child writes and is killed, and the parent checks what is left.
struct KillCampaign {
    struct Totals {
        var kills = 0
        /// Kills before the store was open.
        var early = 0
        var synced = 0
        var written = 0
        var buffered = 0
        var lostBuffered = 0
        var unacknowledged = 0
        var tornTails = 0
        var segments = 0
        /// Rounds that left a new snapshot, and rounds that left an unfinished one.
        var snapshots = 0
        var unfinishedSnapshots = 0
        /// Rounds with a store that was opened by a relative path, and rounds in which its directory was renamed.
        var relative = 0
        var moved = 0
        var acknowledged: Int { synced + written + buffered }
    }

    let seed: UInt64
    private let directory: String
    /// The current store, and its decoy.
    private(set) var places: StorePlaces
    var path: String { places.store }
    /// The files of the decoy, which must not change.
    private var decoy = DirectoryImage()
    private(set) var totals = Totals()
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
        guard try DirectoryImage(of: POSIXFileSystem(), at: places.decoy).files == decoy.files else {
            throw Violation("the store in \(places.decoy), which the child hasn't opened, has changed")
        }
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
        var complaint: String?
        let receive = { (message: ChildMessage) in
            switch message {
            case .opened:
                wasOpened = true
                if deadline == nil { deadline = .now + .milliseconds(plan.delay) }
            case .acknowledged(let one): acknowledgements.append(one)
            case .failed(let what): complaint = complaint ?? what
            }
        }
        if child.listen(until: { deadline }, receive) { child.terminate() }
        _ = child.listen(until: { nil }, receive)
        let end = child.wait()
        totals.moved += try places.putBack() ? 1 : 0
        if let complaint { throw Violation("the child reports: \(complaint)") }
        guard end == .killed else { throw Violation("the child ended before it was killed: \(end)") }
        return (acknowledgements, wasOpened)
    }

    // MARK: - The store after the kill

    private mutating func check(_ plan: RoundPlan, _ acknowledgements: [Acknowledgement]) async throws {
        let isUnfinished = hasUnfinishedSnapshot()
        var store: Store? = try await open(plan)
        let report = store!.recoveryReport
        let covered = expected.coveredSequence
        let findings = try expected.judge(acknowledgements, of: plan, in: store!)
        add(findings)
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

    /// Another thread may release the last reference to a dropped store a little later; until then it is locked.
    private func open(_ plan: RoundPlan) async throws -> Store {
        for _ in 0..<500 {
            do throws(StoreError) {
                return try await Store.open(at: path, configuration: plan.configuration)
            } catch {
                guard error.code == .locked else { throw error }
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw Violation("the store stays locked")
    }

    private mutating func add(_ findings: ExpectedStore.Findings) {
        totals.synced += findings.synced
        totals.written += findings.written
        totals.buffered += findings.buffered
        totals.lostBuffered += findings.lostBuffered
        totals.unacknowledged += findings.unacknowledged
    }
}
