internal import CCallgrind
internal import CHeartwood
internal import HeartwoodFileSystem

/// A stretch of the program whose instructions callgrind counts: those of the thread that runs it, and of no other.
enum CountedRegion {
    /// Runs `body` and has callgrind write down what it took, under a label.
    ///
    /// The store's own threads aren't counted: what they do, and when, depends on the clock.
    ///
    /// - Throws: What `body` throws, and where it has come to another thread on its way.
    static func count(_ label: String, _ body: () async throws -> Void) async throws {
        let thread = heartwood_thread_number()
        // Under callgrind calls take so long that they would yield again and again.
        TimeSlice.begin(nanoseconds: 3_600_000_000_000)
        heartwood_callgrind_begin()
        try await body()
        heartwood_callgrind_end()
        guard heartwood_thread_number() == thread else {
            throw WrongOutcome("\(label) was suspended, and went on on another thread: its count is worth nothing")
        }
        heartwood_callgrind_dump(label)
    }
}
