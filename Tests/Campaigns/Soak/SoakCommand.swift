internal import ArgumentParser
internal import Foundation
internal import HeartwoodCampaignSupport
internal import Synchronization

/// A store that is used for a long time.
struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Uses a store for a long time, and checks that its contents stay right and its size flat.",
        discussion: """
            Four writers with keys of their own, readers, read views that are kept for up to half a minute, \
            transactions, automatic and requested compactions, and reopenings, of which half are without a close. At \
            every reopening and at the end everything is compared with what was acknowledged. Once a second it \
            measures memory, disk and how long puts take; '--svg' draws that.

            Memory and disk must be flat: the median of the last third of the time at most 1.3 times that of the \
            second third, and 16 MiB, or 32 MiB of disk, more.

            Exit codes: 0 all was right; 1 contents differ, memory or disk grows, or the store failed. The seed fixes \
            what is written, not the interleaving.
            """)

    @Option(help: "For how many seconds. An hour is the long form.")
    var seconds = 900

    @OptionGroup var options: StoreOptions

    @Option(help: "Draw the measurements into this file.")
    var svg: String?

    func validate() throws {
        guard seconds >= 5 else { throw ValidationError("'--seconds \(seconds)' is too short: give 5 or more") }
    }

    func run() async throws {
        let (seconds, seed) = (seconds, options.seed)
        say("soak: \(seconds) s, seed \(seed)")
        let progress = CampaignProgress()
        let run = try await options.inDirectory("soak") { parent in
            let run = SoakRun(seed: seed, seconds: seconds, path: parent + "/store", judgesMemory: true)
            let newest = Atomic(-1)
            try await progress.judge {
                defer { draw(run) }
                try await run.run { operations, sample in
                    let isAdvancing = newest.exchange(operations, ordering: .relaxed) != operations
                    guard let sample else { return progress.rearm() }
                    let left = max(0, seconds - Int(sample.time))
                    progress.show(
                        "\(Int(sample.time)) of \(seconds) s, \(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) "
                            + "left, \(operations) operations, memory \((sample.memory ?? 0) >> 20) MiB, "
                            + "disk \(sample.disk >> 20) MiB", isAdvancing: isAdvancing)
                }
            } failed: { _ in
                [
                    "the store is kept in \(run.path)",
                    "again, with other timing: Tools/campaign soak --seconds \(seconds) --seed \(seed)",
                ]
            }
            return run
        }
        progress.report(run.summary)
        report(run)
    }

    private func draw(_ run: SoakRun) {
        guard let svg else { return }
        do {
            try Data(SoakPicture.draw(run).utf8).write(to: URL(fileURLWithPath: svg))
            say("  drawn: \(svg)")
        } catch {
            say("  not drawn: \(error)")
        }
    }

    private func report(_ run: SoakRun) {
        for (name, values) in [("memory", run.samples.compactMap(\.memory)), ("disk", run.samples.map(\.disk))] {
            guard let (earlier, later) = Flatness.medians(values) else { continue }
            say("  \(name): \(mebibytes(earlier)) in the second third, \(mebibytes(later)) in the last (medians)")
        }
    }

    private func mebibytes(_ bytes: Int) -> String { "\(bytes >> 20).\((bytes >> 10) % 1024 * 10 / 1024) MiB" }
}
