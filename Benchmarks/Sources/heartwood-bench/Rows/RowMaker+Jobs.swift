extension RowMaker {
    /// Queues of jobs.
    var jobs: [Row] {
        [
            jobs("jobs-one", "jobs enqueued, taken and acknowledged durably, eight workers, one at a time", batch: 1),
            jobs("jobs-32", "the same, 32 at a time (jobs)", batch: 32),
        ]
    }

    private func jobs(_ id: String, _ title: String, batch: Int) -> Row {
        row(
            id, "jobs", group: "jobs", title, .jobs(JobsWork(batch: batch)), [.heartwood, .redis],
            promise: .survivesPowerLoss, workers: 8, keys: 1)
    }
}
