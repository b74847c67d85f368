import HeartwoodJobs

nonisolated struct Reminder: Job {
    static let name = "reminder"
    var user: Int
}
