internal import Foundation
internal import HeartwoodCampaignSupport
internal import HeartwoodFileSystem
internal import HeartwoodFuzzing

/// Runs commands of the tool on hostile stores, and judges how they end.
struct ToolsCampaign: Sendable {
    /// Which store.
    enum Subject: Sendable {
        /// One drawn from the seed.
        case drawn(Int)
        case shape(HostileShape)

        var name: String {
            switch self {
            case .drawn(let number): "\(number)"
            case .shape(let shape): shape.rawValue
            }
        }
    }

    /// A command that didn't end as it should.
    struct Failure: Sendable {
        var subject: Subject
        var command: String
        var what: String
        var damage: [String]
    }

    let tool: String
    /// Where the stores are made.
    let place: String
    let seed: UInt64
    let seconds: Int
    let memory: Int
    let filesOnly: Bool
    /// The exit codes that the tool's help names.
    private let codes: Set<Int32>

    init(tool: String, place: String, seed: UInt64, seconds: Int, memory: Int, filesOnly: Bool) throws {
        self.tool = tool
        self.place = place
        self.seed = seed
        self.seconds = seconds
        self.memory = memory
        self.filesOnly = filesOnly
        let output = place + "/help"
        let end = LimitedProgram.run(
            [tool, "--help"], seconds: seconds, memory: memory, output: output, errors: place + "/errors")
        let help = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        let numbers = help.split(separator: "\n").compactMap { line in
            line.hasPrefix("  ") ? line.split(separator: " ").first.flatMap { Int32($0) } : nil
        }
        codes = Set(numbers)
        guard end == .exited(0), codes.isSuperset(of: [0, 2]) else {
            throw Violation("\(tool) doesn't say its exit codes: \(end)")
        }
    }

    // MARK: - One store

    /// All commands on one store; those that change it come last.
    func run(_ subject: Subject) async -> (commands: Int, failures: [Failure]) {
        let own = place + "/" + subject.name
        let store = own + "/store"
        let made: (damage: [String], key: String)
        do {
            try POSIXFileSystem().createDirectory(own)
            switch subject {
            case .drawn(let number):
                let campaign = RepairCampaign(seed: seed) { Forgery.run(&$0, &$1) }
                made = try await HostileDirectory.make(store, campaign, case: number, holes: !filesOnly)
            case .shape(let shape):
                try await shape.make(store)
                made = ([], HostileShape.key)
            }
        } catch {
            return (0, [Failure(subject: subject, command: "", what: "the store can't be made: \(error)", damage: [])])
        }
        let commands = [
            ["verify", store], ["verify", store, "--json"], ["inspect", store], ["inspect", store, "--json"],
            ["inspect", store, "--html", own + "/page.html"], ["log", store], ["repair", store],
            ["repair", store, "--json"], ["repair", store, "--output", own + "/repaired"], ["export", store],
            ["get", store, made.key], ["scan", store], ["stats", store], ["repair", store, "--in-place"],
            ["verify", store], ["export", store],
        ]
        var failures: [Failure] = []
        for command in commands {
            let end = LimitedProgram.run(
                [tool] + command, seconds: seconds, memory: memory, output: own + "/output", errors: own + "/errors")
            guard let what = judge(end, own) else { continue }
            failures.append(
                Failure(
                    subject: subject, command: (["heartwood"] + command).joined(separator: " "), what: what,
                    damage: made.damage))
            // The other commands would take as long.
            if end == .timedOut { break }
        }
        if failures.isEmpty { TemporaryDirectory.remove(own) }
        return (commands.count, failures)
    }

    /// What is wrong with an end; nil where nothing is.
    private func judge(_ end: LimitedProgram.End, _ own: String) -> String? {
        switch end {
        case .signalled(let signal): return "ended by signal \(signal)"
        case .timedOut: return "not over after \(seconds) s"
        case .notStarted(let why): return "can't be run: \(why)"
        case .exited(let code):
            // What verify and inspect find is on the standard output.
            let said = ["/errors", "/output"].compactMap { try? String(contentsOfFile: own + $0, encoding: .utf8) }
            // Nobody but the user can tell which of several stores is meant.
            let asksForStore = code == 64 && said.contains { $0.contains("--store-id") }
            guard codes.contains(code), ![64, 70].contains(code) || asksForStore else { return "ended with \(code)" }
            return code == 0 || said.contains { !$0.isEmpty } ? nil : "ended with \(code), and says nothing"
        }
    }
}
