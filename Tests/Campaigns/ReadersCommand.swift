internal import ArgumentParser
internal import HeartwoodCampaignSupport

/// Readers without locks beside a writer.
struct ReadersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers",
        abstract: "Reads an index and a store while they are written to, and judges every answer.",
        discussion: """
            One writer lets keys come and go, so that nodes are split, merged, given back and used again. Readers look \
            up single keys, which must be linearizable, and hold states, which must be those that the writer has made, \
            at once and later. Rounds over the index by itself and over a store in memory take turns.

            Exit codes: 0 nothing was read that must not be; 1 something was. The seed fixes what is written and read, \
            not who comes first.
            """)

    @Option(help: "How many single keys are read at least.")
    var reads = 2_000_000

    @Option(help: "For how many seconds, at least.")
    var seconds = 0

    @Option(help: "How many readers.")
    var readers = 2

    @Option(help: "How many keys there are.")
    var keys = 6_000

    @Option(help: "How many changes a round over the index makes; one over a store makes a tenth.")
    var changes = 500_000

    @Option(help: "Only rounds over this: index or store.")
    var over: ReadersRun.Target?

    @Option(help: "The seed. A random one by default.")
    var seed: UInt64 = .random(in: 1...999_999_999)

    func validate() throws {
        guard readers > 0, keys > 100, keys < 1 << 24, changes > 0 else {
            throw ValidationError("there must be readers, changes, and 101 to 16,777,215 keys")
        }
    }

    func run() async throws {
        say("readers: \(reads) reads, \(seconds) s or more, \(readers) readers, seed \(seed)")
        let watchdog = Watchdog(seconds: 180)
        let run = ReadersRun(seed: seed, readers: readers, keys: keys)
        let start = ContinuousClock.now
        let line = ProgressLine()
        do {
            repeat {
                for target in over.map({ [$0] }) ?? ReadersRun.Target.allCases {
                    try await run.round(target, changes: target == .store ? max(1, changes / 10) : changes) { done in
                        watchdog.rearm()
                        let time = ContinuousClock.now - start
                        line.show("\(done) of \(reads) reads, \(inSeconds(time)), round \(run.summary.rounds)")
                    }
                }
            } while run.summary.reads < reads || ContinuousClock.now - start < .seconds(seconds)
            if run.summary.churn.isLacking, over != .store {
                throw ChurnFailure(
                    description: "nodes were not split, merged, freed and used again: \(run.summary.churn)")
            }
        } catch {
            line.clear()
            say("FAILED: \(error)")
            say("  in round \(run.summary.rounds); again, though the moments will differ:")
            say("  Tools/campaign readers --seed \(seed) --readers \(readers) --keys \(keys) --changes \(changes)")
            throw ExitCode(1)
        }
        line.clear()
        watchdog.stop()
        print(run.summary, ContinuousClock.now - start)
    }

    private func print(_ summary: ReadersRun.Summary, _ time: Duration) {
        let churn = summary.churn
        say("  \(summary.reads) reads in \(inSeconds(time)), \(summary.rounds) rounds, no violation")
        say("  \(summary.scanned) keys in scans of held states")
        say("  \(summary.changes) changes in \(summary.writes) writes")
        say(
            "  \(churn.splits) splits, \(churn.merges) merges, \(churn.freedNodes) nodes freed, "
                + "\(churn.reusedNodes) used again"
        )
    }

    private struct ChurnFailure: Error, CustomStringConvertible {
        let description: String
    }
}

extension ReadersRun.Target: ExpressibleByArgument {}
