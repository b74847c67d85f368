import Heartwood
import Logging
import ServiceLifecycle

/// Makes the jobs of hours that have a mark, also of marks that another collector on the same cluster has set.
struct SummaryScheduler: Service {
    let summaries: Summaries
    let logger: Logger
    /// How often it looks for marks.
    var interval = Duration.seconds(60)

    func run() async throws {
        // Cancellation is the way in which it ends, no error.
        try? await cancelWhenGracefulShutdown {
            while true {
                await schedule()
                try await Task.sleep(for: interval)
            }
        }
    }

    /// What fails is tried again at the next time: the disk may be full. If a store on files has failed, its own
    /// service ends the group.
    private func schedule() async {
        do throws(StoreError) {
            for hour in try await summaries.markedHours() { try await summaries.enqueue(hour) }
        } catch {
            logger.warning("the summaries of hours aren't scheduled yet", metadata: ["error": "\(error)"])
        }
    }
}
