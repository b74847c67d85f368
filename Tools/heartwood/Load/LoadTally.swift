internal import Heartwood
internal import Synchronization

/// What has been loaded so far. Counted by all writers, read by the progress bar.
final class LoadTally: Sendable {
    private let recordCount = Atomic<Int>(0)
    private let byteCount = Atomic<Int>(0)
    private let inputByteCount = Atomic<Int>(0)
    private let newestSequence = Atomic<UInt64>(0)
    private let start = ContinuousClock.now

    /// Counts an acknowledged job.
    func add(_ job: WriteJob, sequence: SequenceNumber) {
        recordCount.add(job.records.count, ordering: .relaxed)
        byteCount.add(job.byteCount, ordering: .relaxed)
        inputByteCount.add(job.inputBytes, ordering: .relaxed)
        newestSequence.max(sequence, ordering: .relaxed)
    }

    var records: Int { recordCount.load(ordering: .relaxed) }
    var bytes: Int { byteCount.load(ordering: .relaxed) }
    var lastSequence: SequenceNumber { newestSequence.load(ordering: .relaxed) }
    var seconds: Double { (ContinuousClock.now - start).seconds }
    var recordsPerSecond: Double { Double(records) / max(seconds, 1e-6) }

    /// `17,683 records  2.9 MiB  181,204/s`
    func progress(of file: InputFile) -> Progress {
        var share: Double?
        if let size = file.size, size > 0 {
            share = Double(inputByteCount.load(ordering: .relaxed)) / Double(size)
        }
        return Progress(
            share: share,
            parts: [
                Numbers.count(records, "record"), Numbers.bytes(bytes), "\(Numbers.grouped(Int(recordsPerSecond)))/s",
            ],
            seconds: seconds)
    }
}
