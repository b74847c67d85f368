internal import ArgumentParser
internal import Foundation
internal import HeartwoodCampaignSupport
internal import HeartwoodConcurrency
internal import HeartwoodFileSystem

/// The built tool on damaged and forged stores.
struct ToolsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tools",
        abstract: "Runs the commands of the built tool on damaged and forged stores, with limits on time and memory.",
        discussion: """
            Each run writes a store to a directory, damaged as by 'repair', or changed under valid checksums, \
            sometimes with holes of up to a terabyte, or with a FIFO, a link or a directory in place of a file. Stores \
            of fixed shapes come first, such as a value that inflates to a gigabyte. Every command that reads a store \
            runs on it as a separate process. It must end within its time and memory, with an exit code that is \
            documented and stands for no defect, and must print the reason if that is not 0.

            Exit codes: 0 no violation; 1 a violation.
            """)

    @Option(help: "How many stores.")
    var runs = 100

    @OptionGroup var options: StoreOptions

    @Option(name: .customLong("case"), help: "Only the store of this number.")
    var number: Int?

    @Option(help: ArgumentHelp("Only the store of this shape.", valueName: "name"))
    var shape: HostileShape?

    @Option(help: "How many seconds a command may take.")
    var seconds = 30

    @Option(help: "How much address space a command may take, in MiB.")
    var memory = 768

    @Option(help: "The tool. By default the one in the directory of this program.")
    var tool: String?

    @Flag(help: "No holes, only regular files, and none of the fixed shapes.")
    var filesOnly = false

    @Option(help: "How many stores at a time.")
    var jobs = 2

    func validate() throws {
        guard runs > 0, seconds > 0, memory > 0, number ?? 0 >= 0, (1...64).contains(jobs) else {
            throw ValidationError("--runs, --seconds and --memory: more than 0; --case: 0 or more; --jobs: 1 to 64")
        }
    }

    func run() async throws {
        let tool = tool ?? Self.sibling("heartwood")
        let (subjects, seed) = (subjects, options.seed)
        say("tools: \(subjects.count) stores, seed \(seed), \(seconds) s and \(memory) MiB for each command")
        let progress = CampaignProgress(watchdogSeconds: UInt32(12 * seconds + 60))
        try await options.inDirectory("tools") { directory in
            let campaign = try ToolsCampaign(
                tool: tool, directory: directory, seed: seed, seconds: seconds, memory: memory, filesOnly: filesOnly)
            let shared = Locked((stores: 0, commands: 0, failures: 0))
            let results = try await inLanes(subjects, jobs: jobs) { subject -> [ToolsCampaign.Failure] in
                guard shared.withLock({ $0.failures < 20 }) else { return [] }
                let (commands, failures) = await campaign.run(subject)
                let (stores, all, _) = shared.withLock { shared in
                    shared.stores += 1
                    shared.commands += commands
                    shared.failures += failures.count
                    return shared
                }
                progress.show("\(stores) of \(subjects.count) stores, \(all) commands, \(progress.time)")
                return failures
            }
            progress.end()
            let (stores, commands, _) = shared.withLock { $0 }
            say("  \(commands) commands on \(stores) stores in \(progress.time)")
            try report(results.flatMap { $0 }, in: directory)
        }
    }

    private func report(_ failures: [ToolsCampaign.Failure], in directory: String) throws {
        guard !failures.isEmpty else { return say("  all of them ended as they should") }
        for failure in failures {
            say("FAILED: store \(failure.subject.name): \(failure.what): \(failure.command)")
            for damage in failure.damage { say("    \(damage)") }
            let files = filesOnly ? " --files-only" : ""
            switch failure.subject {
            case .shape(let shape): say("  Tools/campaign tools --shape \(shape.rawValue)")
            case .drawn(let number): say("  Tools/campaign tools --seed \(options.seed) --case \(number)\(files)")
            }
        }
        say("  the stores are kept in \(directory)")
        throw ExitCode(1)
    }

    private var subjects: [ToolsCampaign.Subject] {
        if let shape { return [.shape(shape)] }
        if let number { return [.drawn(number)] }
        return (filesOnly ? [] : HostileShape.allCases.map { .shape($0) }) + (0..<runs).map { .drawn($0) }
    }

    /// The path of a program in the directory of this one.
    private static func sibling(_ name: String) -> String {
        (Program.executable as NSString).deletingLastPathComponent + "/" + name
    }
}
