internal import Foundation
internal import HeartwoodCampaignSupport
internal import HeartwoodFileSystem
internal import HeartwoodFuzzing

/// Runs commands of the tool on hostile stores, and checks how they end.
struct ToolsCampaign: Sendable {
    /// A store to run the commands on.
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
    let directory: String
    let seed: UInt64
    let seconds: Int
    let memory: Int
    let filesOnly: Bool
    /// The exit codes that the tool's help names.
    private let codes: Set<Int32>

    init(tool: String, directory: String, seed: UInt64, seconds: Int, memory: Int, filesOnly: Bool) throws {
        (self.tool, self.directory, self.seed) = (tool, directory, seed)
        (self.seconds, self.memory, self.filesOnly) = (seconds, memory, filesOnly)
        let output = directory + "/help"
        let end = Program.run(
            [tool, "--help"], seconds: seconds, memory: memory, output: output, errors: directory + "/errors")
        let help = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        let numbers = help.split(separator: "\n").compactMap { line in
            line.hasPrefix("  ") ? line.split(separator: " ").first.flatMap { Int32($0) } : nil
        }
        codes = Set(numbers)
        try expect(end == .exited(0) && codes.isSuperset(of: [0, 2]), "\(tool) doesn't list its exit codes: \(end)")
    }

    // MARK: - One store

    /// Runs all commands on one store; the ones that change it come last.
    func run(_ subject: Subject) async -> (commands: Int, failures: [Failure]) {
        let own = directory + "/" + subject.name
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
            let end = Program.run(
                [tool] + command, seconds: seconds, memory: memory, output: own + "/output", errors: own + "/errors")
            guard let what = judge(end, own) else { continue }
            failures.append(
                Failure(
                    subject: subject, command: (["heartwood"] + command).joined(separator: " "), what: what,
                    damage: made.damage))
            // The other commands would probably take as long.
            if end == .timedOut { break }
        }
        if failures.isEmpty { TemporaryDirectory.remove(own) }
        return (commands.count, failures)
    }

    /// Why an end is a failure; nil if it is none.
    private func judge(_ end: Program.End, _ own: String) -> String? {
        switch end {
        case .signalled(let signal): return "ended by signal \(signal)"
        case .timedOut: return "not finished after \(seconds) s"
        case .notStarted(let why): return "can't be run: \(why)"
        case .exited(let code):
            // verify and inspect report findings on the standard output.
            let said = ["/errors", "/output"].compactMap { try? String(contentsOfFile: own + $0, encoding: .utf8) }
            // With files of several stores, the user must choose one with --store-id.
            let asksForStore = code == 64 && said.contains { $0.contains("--store-id") }
            guard codes.contains(code), ![64, 70].contains(code) || asksForStore else { return "ended with \(code)" }
            return code == 0 || said.contains { !$0.isEmpty } ? nil : "ended with \(code) and printed nothing"
        }
    }
}
