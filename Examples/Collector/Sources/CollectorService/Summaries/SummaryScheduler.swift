import Heartwood
import Logging
import ServiceLifecycle

/// Makes the jobs of hours that have a mark: at the start of those that are in the store, then of each new one.
struct SummaryScheduler: Service {
    let summaries: Summaries
    let logger: Logger

    func run() async throws {
        // Cancellation is the way in which it ends, no error.
        try? await cancelWhenGracefulShutdown {
            for hour in try summaries.markedHours() { try await schedule(hour) }
            for await hour in summaries.marks.marked { try await schedule(hour) }
        }
    }

    /// Tries until it succeeds: the disk may be full. If the store has failed, its own service ends the group.
    private func schedule(_ hour: Hour) async throws {
        while true {
            do throws(StoreError) {
                return try await summaries.enqueue(hour)
            } catch {
                logger.warning(
                    "the summary of an hour isn't scheduled yet", metadata: ["hour": "\(hour)", "error": "\(error)"])
            }
            try await Task.sleep(for: .seconds(10))
        }
    }
}
