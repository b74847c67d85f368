import Foundation
import Heartwood
import HeartwoodJobs

nonisolated struct Reminder: Job {
    static let name = "reminder"
    var user: Int
}

/// For calls that are compiled and never run.
nonisolated func reminders(_ store: Store) -> JobQueue { fatalError("\(store) has no queue") }

nonisolated let anyJob = JobID(rawValue: UUID())
