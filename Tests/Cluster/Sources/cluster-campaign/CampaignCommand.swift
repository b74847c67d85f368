import ArgumentParser
import ClusterSupport
import Foundation

/// Runs clients on a cluster while servers and networks fail, and judges what they saw.
@main
struct CampaignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster-campaign",
        abstract: "Runs clients on a cluster while servers and networks fail, and judges what they saw.",
        discussion: """
            Run it with Tools/cluster --namespaces. Each run keeps its history, and is skipped if its history is \
            there, so that a campaign can be continued. With --replay, histories are judged again.
            """)

    @Option(help: "How many runs.") var runs = 1
    @Option(help: "The seed of the first run; the others have the next ones.") var seed: UInt64 = 1
    @Option(help: "Seconds of each run.") var seconds = 30
    @Option(help: "Where histories are kept; by default nowhere.") var keep: String?
    @Flag(help: "Judge the histories that are kept, without a run.") var replay = false

    func run() async throws {
        if try await !(replay ? replayAll() : runAll()) { throw ExitCode(1) }
    }

    private func runAll() async throws -> Bool {
        guard TestCluster.isThere else {
            throw ValidationError("there are no servers: start it with Tools/cluster --namespaces")
        }
        if let keep { try FileManager.default.createDirectory(atPath: keep, withIntermediateDirectories: true) }
        let nemesis = try await Nemesis()
        var hasPassed = true
        for seed in seed..<seed + UInt64(max(1, runs)) {
            let path = keep.map { "\($0)/run-\(seed)-\(seconds)s.json" }
            if let path, FileManager.default.fileExists(atPath: path) { continue }
            let history = try await CampaignRun(seed: seed, time: .seconds(seconds)).run(nemesis)
            if let path { try history.write(to: path) }
            if !judge(history, "seed \(seed)") { hasPassed = false }
        }
        return hasPassed
    }

    private func replayAll() throws -> Bool {
        guard let keep else { throw ValidationError("--replay needs --keep") }
        var hasPassed = true
        for name in try FileManager.default.contentsOfDirectory(atPath: keep).sorted() where name.hasSuffix(".json") {
            if !judge(try CampaignHistory.read("\(keep)/\(name)"), name) { hasPassed = false }
        }
        return hasPassed
    }

    /// Prints a summary. False if there are problems.
    private func judge(_ history: CampaignHistory, _ name: String) -> Bool {
        let problems = history.problems()
        let calls = history.registers.values.reduce(0) { $0 + $1.count }
        let outcomes = history.outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        print(
            "\(name): \(history.faults.count) faults; \(calls) calls on registers, \(history.lists.count) transactions "
                + "on lists, \(history.expiring.count) calls on keys that expire, \(history.acknowledged.count) "
                + "acknowledged writes, \(history.followed.count) batches followed; "
                + "\(outcomes.joined(separator: ", ")): \(problems.isEmpty ? "no problem" : "PROBLEMS")")
        for problem in problems { print("FAILED: \(problem)") }
        if !problems.isEmpty { for fault in history.faults { print("  fault at \(fault)") } }
        // Also into a file, at once.
        fflush(nil)
        return problems.isEmpty
    }
}
