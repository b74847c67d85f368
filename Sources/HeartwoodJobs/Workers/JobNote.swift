package import KeyValueStore

/// What workers have written of a job, or are about to write. For campaigns, which judge it.
package enum JobNote: Sendable {
    /// A worker has the job until this time.
    case claimed(JobRecord, fence: SequenceNumber, until: Timestamp)
    case renewed(JobRecord, until: Timestamp)
    /// It is about to be written what has become of this attempt.
    case reporting(JobRecord, isFinish: Bool)
    /// It was written; or the lease had been lost, and nothing was.
    case reported(JobRecord, isFinish: Bool, wasLost: Bool)
}

extension Exchange {
    func note(to recorder: (JobNote) -> Void) {
        for report in reports where !report.event.isRenewal {
            recorder(.reporting(report.job.record, isFinish: report.event == .finish))
        }
    }
}

extension Exchange.Result {
    func note(_ exchange: Exchange, to recorder: (JobNote) -> Void) {
        for (position, report) in exchange.reports.enumerated() {
            if !report.event.isRenewal {
                recorder(
                    .reported(
                        report.job.record, isFinish: report.event == .finish, wasLost: wasLost[position]))
            } else if let end = leases[position] {
                recorder(.renewed(report.job.record, until: end))
            }
        }
        for job in claimed { recorder(.claimed(job.record, fence: job.fence, until: job.record.time)) }
    }
}
