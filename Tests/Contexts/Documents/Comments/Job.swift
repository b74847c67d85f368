// From Sources/HeartwoodJobs/Job.swift, with the spacing that it has there.
// swift-format-ignore-file
import HeartwoodJobs

struct SendEmail: Job {
    static let name = "send-email"
    var address: String
    var template: String
}
