/// The records of one write.
struct WriteJob: Sendable {
    /// Jobs are numbered in the order of the input.
    let number: Int
    let records: [Record]
    /// Bytes of the input file from the end of the previous job to the end of this one; compressed, if the file is.
    let inputBytes: Int

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
    /// The positions in the input after the newest record and after the newest job.
    private var recordEnd = 0
    private var jobEnd = 0

    init(recordsPerJob: Int) { self.recordsPerJob = recordsPerJob }

    /// Takes a record. Returns the job if this record makes it full.
    ///
    /// - Parameter inputEnd: The position in the input after the record.
    mutating func add(_ record: Record, inputEnd: Int) -> WriteJob? {
        records.append(record)
        byteCount += record.byteCount
        recordEnd = inputEnd
        return records.count >= recordsPerJob || byteCount >= Self.maximumBytes ? finish() : nil
    }

    /// The last job, which isn't full, at the end of the input; nil if it has no records.
    mutating func finish() -> WriteJob? {
        guard !records.isEmpty else { return nil }
        defer {
            records = []
            byteCount = 0
            nextNumber += 1
            jobEnd = recordEnd
        }
        return WriteJob(number: nextNumber, records: records, inputBytes: recordEnd - jobEnd)
    }
}
