import HeartwoodJobs

/// The job that makes the summary of an hour. Its unique key is the hour.
struct SummariseHour: Job {
    static let name = "summarise-hour"
    static var options: JobOptions {
        JobOptions(retry: JobRetry(limit: 8, first: .seconds(10), longest: .seconds(600)))
    }

    var hour: Hour
}
