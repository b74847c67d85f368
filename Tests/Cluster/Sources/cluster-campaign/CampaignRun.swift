import ClusterSupport
import Foundation
import HeartwoodEtcd
import HeartwoodRepository
import HeartwoodTesting
import KeyValueStore
import Synchronization

/// One run: clients use a new store through proxies, while faults are made; then everything is repaired and compared.
struct CampaignRun: Sendable {
    /// Determines the faults and what clients do, but not when.
    var seed: UInt64
    /// How long clients run.
    var time: Duration

    /// - Returns: What the clients saw.
    /// - Throws: If the cluster isn't usable after all faults are repaired.
    func run(_ nemesis: Nemesis) async throws -> CampaignHistory {
        var configuration = TestCluster.configuration()
        configuration.endpoints = nemesis.endpoints
        configuration.expiryMargin = .seconds(10)
        // So that fences are swept often, and views end.
        configuration.sweepInterval = .seconds(5)
        let recorder = HistoryRecorder()
        let observer = try await EtcdStore.open(configuration)
        let members = try await observer.repository(Member.repository)
        let copy = try await Copy(of: observer, recorder)
        (configuration.deadline, configuration.attemptTimeout) = (.seconds(6), .seconds(1))
        let clocks = (0..<Client.writers + 3).map { _ in MovedClock() }
        let programs = try await open(configuration, clocks, recorder)
        try await disturb(nemesis, recorder, programs, clocks)
        for program in programs { await program.store.close() }
        try await compare(observer, copy, recorder)
        let findings = try await members.verify().findings.map { "\($0)" }
        recorder.change { $0.findings += findings }
        await observer.close()
        return recorder.history
    }

    private func open(
        _ configuration: EtcdStore.Configuration, _ clocks: [MovedClock], _ recorder: HistoryRecorder
    ) async throws -> [Client] {
        var programs: [Client] = []
        for (number, clock) in clocks.enumerated() {
            var own = configuration
            // A third of the clients begins with each server.
            own.endpoints = (0..<3).map { configuration.endpoints[(number + $0) % 3] }
            if Client.onlyReads(number + 1) { own.endpoints.removeLast(2) }
            own.clock = { clock.now }
            // Half of them give up soon, and don't learn what became of their commits.
            if number % 2 == 0 { (own.deadline, own.attemptTimeout) = (.seconds(2), .milliseconds(500)) }
            let store = try await again { [own] in try await EtcdStore.open(own) }
            let members = try await again { try await store.repository(Member.repository) }
            programs.append(Client(number + 1, store, members, clock, recorder, seed: seed))
        }
        return programs
    }

    /// Runs the clients until the time is over, and makes faults meanwhile.
    private func disturb(
        _ nemesis: Nemesis, _ recorder: HistoryRecorder, _ programs: [Client], _ clocks: [MovedClock]
    ) async throws {
        let (seed, time) = (self.seed, self.time)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for program in programs {
                group.addTask {
                    var program = program
                    await program.run()
                }
            }
            group.addTask {
                var random = SeededRandom(seed)
                let end = ContinuousClock.now + time
                while .now < end {
                    let fault = Fault.random(hasParts: nemesis.hasParts, using: &random)
                    let length = Duration.milliseconds(Int.random(in: 300...4_000, using: &random))
                    let description = "\(recorder.time / 1_000) ms: \(fault), for \(length)"
                    recorder.change { $0.faults.append(description) }
                    try await nemesis.make(fault, for: length, clocks)
                    try await Task.sleep(for: .milliseconds(Int.random(in: 500...3_000, using: &random)))
                }
                throw CancellationError()
            }
            do {
                while try await group.next() != nil {}
            } catch is CancellationError {
                group.cancelAll()
            }
            try? await group.waitForAll()
        }
    }

    /// Calls until it doesn't throw, for a minute: the servers may just have been started.
    private func again<R>(_ body: () async throws -> R) async throws -> R {
        let end = ContinuousClock.now + .seconds(60)
        while true {
            do {
                return try await body()
            } catch {
                if .now > end { throw error }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    /// Waits until the feed has delivered everything, and compares its copy with the store.
    private func compare(_ store: EtcdStore, _ copy: Copy, _ recorder: HistoryRecorder) async throws {
        try await again { _ = try await store.write(.init(operations: [.put(Copy.endKey, 0)]), durability: nil) }
        let entries = try await copy.entries(.now + .seconds(60))
        let found = try await store.fetchEntries(in: .all, reversed: false, limit: .max).entries
        let expected = Dictionary(uniqueKeysWithValues: found.map { ($0.key, $0.sequence) })
        // etcd removes a key some seconds after its expiry.
        let compared = Set(entries.keys).union(expected.keys).filter { !$0.starts(with: Client.expiringPrefix.utf8) }
        let different = compared.filter { entries[$0] != expected[$0] }.map { String(decoding: $0, as: UTF8.self) }
        recorder.change { $0.findings += different.map { "the copy by the feed differs at \($0)" } }
    }
}

/// A copy of a store that follows its feed.
private struct Copy {
    static let endKey = Array("~end".utf8)
    private static let once = ["register:", "range:", "list:"].map { Array($0.utf8) }
    private let task: Task<[[UInt8]: SequenceNumber], any Error>

    /// Follows from now on.
    init(of store: EtcdStore, _ recorder: HistoryRecorder) async throws {
        let view = try await store.readView()
        let found = try await view.fetchEntries(in: .all, reversed: false, limit: .max).entries
        let changes = store.changes(after: view.position, in: .all, level: .durable)
        task = Task {
            var entries = Dictionary(uniqueKeysWithValues: found.map { ($0.key, $0.sequence) })
            var seen: Set<[UInt8]> = []
            for try await change in changes {
                entries[change.key] = change.value == nil ? nil : change.sequence
                // No value is written twice to one of these keys.
                if Self.once.contains(where: change.key.starts), let value = change.value,
                    !seen.insert(change.key + value).inserted
                {
                    let key = String(decoding: change.key, as: UTF8.self)
                    recorder.change { $0.findings.append("a write of \(key) was carried out twice") }
                }
                if change.isLastOfBatch { recorder.change { $0.followed.append(change.sequence) } }
                if change.key == Self.endKey { return entries }
            }
            throw StoreError(.closed, "the feed has ended")
        }
    }

    /// The revisions of the keys, once the end key has come.
    func entries(_ end: ContinuousClock.Instant) async throws -> [[UInt8]: SequenceNumber] {
        let watchdog = Task { [task] in
            try await Task.sleep(until: end)
            task.cancel()
        }
        defer { watchdog.cancel() }
        return try await task.value
    }
}
