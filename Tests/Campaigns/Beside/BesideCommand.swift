internal import ArgumentParser
internal import Heartwood
internal import HeartwoodCampaignSupport
internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodTesting

/// A reader and a feed in this process, beside a writer in another one that compacts and is killed.
struct BesideCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beside",
        abstract: "Reads and follows a store while another process writes and compacts it, and is killed with kill -9.",
        discussion: """
            Every state that a reader shows must be that of its number: the batches follow from the seed. The feed's \
            copy must be equal to it after each batch that is compared, and views that are kept must not change.
            """)

    @Option(help: "How long, in seconds.")
    var seconds = 20

    @OptionGroup var options: StoreOptions

    func run() async throws {
        say("beside: \(seconds) s, seed \(options.seed)")
        raiseFileLimit()
        let progress = CampaignProgress(watchdogSeconds: 60)
        let totals = try await options.inDirectory("beside") { parent in
            let run = BesideRun(BesidePlan(seed: options.seed), at: parent + "/store")
            return try await progress.judge {
                try await run.run(seconds: seconds) { progress.show($0) }
                return run.totals.withLock { $0 }
            } failed: { _ in
                [
                    "the store is kept in \(run.path)",
                    "again, with other timing: Tools/campaign beside --seconds \(seconds) --seed \(options.seed)",
                ]
            }
        }
        progress.report(totals)
        if totals.views == 0 || totals.changes == 0 || totals.kills == 0 && seconds >= 20 {
            say("FAILED: nothing was tested")
            throw ExitCode(1)
        }
    }
}

/// The other process: writes until it is killed.
struct BesideWriterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "beside-writer", shouldDisplay: false)

    @Option var seed: UInt64
    @Option var directory: String

    func run() async throws {
        let plan = BesidePlan(seed: seed)
        do {
            let store = try await Store.open(at: directory, configuration: plan.configuration)
            WriteUntilKilledCommand.send(.opened)
            var number = BesidePlan.number(of: try store.get(BesidePlan.counter))
            while true {
                number += 1
                let batch = plan.batch(number)
                try await store.write(durability: batch.durability) { [number] writes in
                    for (key, value) in batch.changes {
                        if let value { writes.put(key, value) } else { writes.remove(key) }
                    }
                    writes.put(BesidePlan.counter, littleEndianBytes(of: number))
                }
                if plan.compacts(after: number) { Task { try await store.compact() } }
                if number % 40 == 0 { try await Task.sleep(for: .milliseconds(4)) }
            }
        } catch {
            WriteUntilKilledCommand.send(.failed("\(error)"))
            throw ExitCode(1)
        }
    }
}
