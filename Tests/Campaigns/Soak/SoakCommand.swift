internal import ArgumentParser
internal import HeartwoodCampaignSupport

/// A store in use for a long time.
struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Uses a store for a long time, and looks whether it stays right, and stays as small as it was.",
        discussion: """
            Four writers with keys of their own, readers, snapshots that are held for up to half a minute, \
            transactions, compactions by themselves and on request, and reopenings, of which half are without a close. \
            At every reopening and at the end all keys are compared with a model, both ways. Once a second it measures \
            memory, disk and how long puts take; '--svg' draws that.

            Memory and disk must be flat: the median of the last third of the time at most 1.3 times that of the \
            second third, and 16 MiB, or 32 MiB of disk, more.

            Exit codes: 0 all was right; 1 contents differ, something grows, or the store failed. The seed fixes what \
            is written, not who comes first.
            """)

    @Option(help: "For how many seconds. An hour is the long form.")
    var seconds = 900

    @Option(help: "The seed. A random one by default.")
    var seed: UInt64 = .random(in: 1...999_999_999)

    @Option(help: "Where the store goes; a directory for temporary files by default.")
    var directory: String?

    @Option(help: "Draw what was measured into this file.")
    var svg: String?

    func validate() throws {
        guard seconds >= 5 else { throw ValidationError("'--seconds \(seconds)' is too short: give 5 or more") }
    }

    func run() async throws {
        say("soak: \(seconds) s, seed \(seed)")
        let watchdog = Watchdog(seconds: 180)
        let line = ProgressLine()
        let parent = try TemporaryDirectory.make("soak", in: directory)
        let run = SoakRun(seed: seed, seconds: seconds, path: parent + "/store", judgesMemory: true)
        let seconds = seconds
        let newest = NewestCount()
        var failure: (any Error)?
        do {
            try await run.run { operations, sample in
                if newest.isNew(operations) || sample == nil { watchdog.rearm() }
                guard let sample else { return }
                let left = max(0, seconds - Int(sample.time))
                line.show(
                    "\(Int(sample.time)) of \(seconds) s, \(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left, "
                        + "\(operations) operations, memory \((sample.memory ?? 0) >> 20) MiB, "
                        + "disk \(sample.disk >> 20) MiB")
            }
        } catch {
            failure = error
        }
        line.clear()
        watchdog.stop()
        if let svg {
            try write(SoakPicture.draw(run), to: svg)
            say("  drawn: \(svg)")
        }
        if let failure {
            say("FAILED: \(failure)")
            say("  the store is kept in \(run.path)")
            say("  again, though the moments will differ: Tools/campaign soak --seconds \(seconds) --seed \(seed)")
            throw ExitCode(1)
        }
        TemporaryDirectory.remove(parent)
        print(run)
    }

    private func print(_ run: SoakRun) {
        let summary = run.summary
        say("  \(summary.writes) keys written, \(summary.reads) read, no difference")
        say("  \(summary.transactions) transactions, \(summary.conflicts) run again")
        say("  \(summary.snapshots) held snapshots looked at")
        say("  \(summary.compactions) compactions, \(summary.requested) of them on request")
        say("  \(summary.cancelled) compactions given up")
        say("  \(summary.closed) times closed")
        say("  \(summary.dropped) times dropped, which lost \(summary.lostWrites) buffered writes")
        for (name, values) in [("memory", run.samples.compactMap(\.memory)), ("disk", run.samples.map(\.disk))] {
            guard let (earlier, later) = Flatness.medians(values) else { continue }
            say("  \(name): \(mebibytes(earlier)) in the second third, \(mebibytes(later)) in the last (medians)")
        }
    }

    private func mebibytes(_ bytes: Int) -> String { "\(bytes >> 20).\((bytes >> 10) % 1024 * 10 / 1024) MiB" }
}
