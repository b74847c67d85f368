internal import CCallgrind
internal import CHeartwood
internal import HeartwoodConcurrency

/// A part of the program whose instructions callgrind counts, for the thread that runs it only.
enum CountedRegion {
    /// Runs `body`; callgrind writes its instruction count under a label.
    ///
    /// The store's own threads aren't counted, because their work depends on the clock.
    ///
    /// - Throws: The error of `body`, or `WrongOutcome` if it continued on another thread.
    static func count(_ label: String, _ body: () async throws -> Void) async throws {
        let thread = heartwood_thread_number()
        // Calls are so slow under callgrind that they would yield many times.
        TimeSlice.begin(nanoseconds: 3_600_000_000_000)
        heartwood_callgrind_begin()
        try await body()
        heartwood_callgrind_end()
        guard heartwood_thread_number() == thread else {
            throw WrongOutcome("\(label) was suspended and continued on another thread: its count is useless")
        }
        heartwood_callgrind_dump(label)
    }
}
