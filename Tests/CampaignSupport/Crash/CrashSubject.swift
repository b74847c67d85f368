package import HeartwoodTesting

/// A program on a simulated disk that is crashed, and the judge of what a crash leaves.
package protocol CrashSubject: Sendable {
    /// What the disk after a crash is judged by.
    associatedtype Evidence: Codable & Sendable

    /// Names the subject in reports; empty if the campaign's name says all.
    var name: String { get }
    /// The options that repeat a history. Not exact: another run has other timing.
    func repetition(seed: UInt64) -> (options: String, isExact: Bool)

    /// A history that isn't done yet. The same seed gives the same writes.
    func history(seed: UInt64) -> CrashHistory<Evidence>
    /// About how many states of a history are judged, drawn from this stream of random numbers; nil: each.
    var share: (states: Int, stream: UInt64)? { get }
    /// With the image, all that a judgement depends on: equal states are judged once.
    func fingerprint(of evidence: Evidence) -> [UInt64]

    /// Opens what a crash left, judges it, and continues to work.
    ///
    /// - Parameter depth: The number of crashes so far.
    /// - Throws: `Violation`.
    func check(_ image: DiskImage, _ evidence: Evidence, depth: Int) async throws -> Aftermath<Evidence>
    /// The crashes of a check that are checked too.
    ///
    /// - Parameter image: The fingerprint of what the check began with.
    func crashes(of trace: DiskTrace, from image: UInt64, seed: UInt64, depth: Int) -> [Crash]
}

extension CrashSubject {
    package var name: String { "" }

    package func repetition(seed: UInt64) -> (options: String, isExact: Bool) { ("--seed \(seed) --runs 1", false) }

    /// One in three is crashed again, at any moment, up to some depth.
    func drawnCrash(
        of trace: DiskTrace, _ random: inout SeededRandom, depth: Int, deepest: Int
    ) -> [Crash] {
        guard depth < deepest, random.oneIn(3) else { return [] }
        let events = random.number(in: 0...trace.events.count)
        return [trace.crash(CrashState(events: events, losses: .drawn(random.next() >> 24)))]
    }
}

/// A history to do.
package struct CrashHistory<Evidence: Sendable> {
    package var disk: SimulatedDisk
    /// - Throws: `Violation` if the history itself breaks a promise.
    package var run: () async throws -> Aftermath<Evidence>
}

/// What a history or a check leaves: the trace of its disk, and what its crashes are judged by.
package struct Aftermath<Evidence: Sendable> {
    package var trace: DiskTrace
    /// The evidence after so many events. `keepsAll`: no pending write was lost, as after the death of a process.
    package var evidence: (_ events: Int, _ keepsAll: Bool) -> Evidence
    package var counts = Tally()
}

/// A broken promise, with what repeats it.
package struct ExplorationFailure: Error, CustomStringConvertible {
    /// What was run, such as "puts, seed 4".
    package var title: String
    package var cause: any Error
    /// The crash of the run, and those after it.
    package var path: [CrashState] = []
    /// What the last crash left, and what it is judged by; nil if the run itself failed.
    package var left: (image: DiskImage, evidence: any Encodable & Sendable)?
    /// The last calls, or the history, one on each line.
    package var lines: [String]
    /// The options that repeat it. Not exact: another run has other timing.
    package var repetition: String
    package var isExact = true

    package var description: String { "\(title): \(cause)" }
}
