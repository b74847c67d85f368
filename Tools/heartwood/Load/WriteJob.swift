/// The records of one write.
struct WriteJob: Sendable {
    /// Jobs are numbered in the order of the input.
    let number: Int
    let records: [Record]

    var byteCount: Int { records.reduce(0) { $0 + $1.byteCount } }
}

/// Gathers records into jobs.
struct JobGatherer {
    /// Ends a job early, so that memory stays bounded however large the values are.
    private static let maximumBytes = 64 << 20

    private let recordsPerJob: Int
    private var records: [Record] = []
    private var byteCount = 0
    private var nextNumber = 0

    init(recordsPerJob: Int) { self.recordsPerJob = recordsPerJob }

    /// Takes a record. Returns the job if this record makes it full.
    mutating func add(_ record: Record) -> WriteJob? {
        records.append(record)
        byteCount += record.byteCount
        return records.count >= recordsPerJob || byteCount >= Self.maximumBytes ? finish() : nil
    }

    /// The last job, which isn't full, at the end of the input; nil if it has no records.
    mutating func finish() -> WriteJob? {
        guard !records.isEmpty else { return nil }
        defer {
            records = []
            byteCount = 0
            nextNumber += 1
        }
        return WriteJob(number: nextNumber, records: records)
    }
}
