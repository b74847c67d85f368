internal import ArgumentParser
internal import HeartwoodCampaignSupport

/// Compares the encoding of keys with another implementation's. Started by Tools/check-tuples.
struct TuplesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tuples",
        abstract:
            "Compares the tuples on the standard input, as Tools/check-tuples writes them, with HeartwoodRepository.",
        shouldDisplay: false)

    func run() throws {
        let start = ContinuousClock.now
        var comparison = TupleComparison()
        while let line = readLine() {
            do {
                try comparison.check(line)
            } catch {
                say("FAILED: line \(comparison.tuples + 1): \(error)")
                throw ExitCode(1)
            }
        }
        say("  \(comparison.tuples) tuples, \(comparison.elements) elements, \(comparison.bytes) bytes:")
        say("  the same bytes, the same elements and the same order, in \(inSeconds(.now - start))")
        guard comparison.tuples > 0 else { throw ExitCode(1) }
    }
}
