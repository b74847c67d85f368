internal import ArgumentParser
internal import HeartwoodCampaignSupport

/// Inspections beside a writer.
struct InspectionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspection",
        abstract: "Verifies, inspects and follows a store while it is written to.",
        discussion: """
            A store is written to, compacted, closed or left, and opened again, without a pause. Beside it its files \
            are verified, inspected and followed in turns: nothing may be found to be wrong, and nothing but reading \
            may be asked of the file system.

            Exit codes: 0 nothing was wrong; 1 something was.
            """)

    @Option(help: "How many inspections.")
    var runs = 300

    @Option(help: "How large the store is, in MiB, about.")
    var size = 6

    @Option(help: "Where the store is made.")
    var directory: String?

    @Option(help: "The seed. A random one by default.")
    var seed: UInt64 = .random(in: 1...999_999_999)

    func validate() throws {
        guard runs > 0, size > 0, size <= 8_192 else { throw ValidationError("there must be runs, of 1 to 8,192 MiB") }
    }

    func run() async throws {
        say("inspection: \(runs) runs on about \(size) MiB, seed \(seed)")
        let place = try TemporaryDirectory.make("inspection", in: directory)
        defer { TemporaryDirectory.remove(place) }
        let watchdog = Watchdog(seconds: 180)
        let start = ContinuousClock.now
        let line = ProgressLine()
        // Values have half of what they may have, and a part of the store is dead.
        let valueBytes = 2_000
        let run = InspectionRun(
            path: place + "/store", seed: seed, keys: max(100, (size << 20) / 1_400), valueBytes: valueBytes)
        do {
            let summary = try await run.run(inspections: runs) { summary in
                watchdog.rearm()
                line.show(
                    "\(summary.all) of \(runs) runs, \(summary.writes) writes, "
                        + "\(inSeconds(ContinuousClock.now - start))"
                )
            }
            line.clear()
            watchdog.stop()
            say(
                "  \(summary.verified) verified, \(summary.surveyed) inspected, \(summary.followed) followed in "
                    + "\(inSeconds(ContinuousClock.now - start)): nothing wrong"
            )
            say("  \(summary.bytes >> 20) MiB verified, \(summary.records) records followed")
            say(
                "  beside \(summary.writes) writes, \(summary.compactions) compactions and \(summary.openings) openings"
            )
        } catch {
            line.clear()
            say("FAILED: \(error)")
            say("  Tools/campaign inspection --seed \(seed) --size \(size) --runs \(runs)")
            throw ExitCode(1)
        }
    }
}
