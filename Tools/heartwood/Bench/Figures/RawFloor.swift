internal import HeartwoodFileSystem

/// What the disk can do for one writer that waits for it: 128 bytes at a time, one after another, into an existing file
/// of zeros, each followed by a sync of the data only. No durable write of one writer can be faster.
///
/// It is measured in pieces, one before each durable figure: a disk that others use may be ten times as slow a few
/// seconds later, and a comparison needs the same conditions.
struct RawFloor {
    static let recordBytes = 128
    static let fileBytes = 16 << 20
    /// Distinct records. Prime, so that a position gets another record in each round.
    private static let recordCount = 1_021
    private static let positions = fileBytes / recordBytes

    let context: BenchContext
    private let path: String
    private let fileSystem = POSIXFileSystem()
    private let records: [UInt8]

    init(_ context: BenchContext) {
        self.context = context
        path = context.directory.path("raw")
        var random = SplitMix64(seed: BenchPlan.seed)
        records = (0..<Self.recordCount * Self.recordBytes).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    /// Blocks its thread.
    func measure() throws -> Measurement {
        do {
            let measurement = try append()
            try BenchStopped.check()
            try check(measurement.operations)
            try context.directory.remove("raw")
            return measurement
        } catch let error as FileSystemError {
            throw Failure(error, "check the disk and the kernel's log")
        }
    }

    /// Appends for the time of a piece. The file stays.
    func append() throws(FileSystemError) -> Measurement {
        let file = try fileSystem.openFile(path, for: .create)
        try file.zero(from: 0, count: UInt64(Self.fileBytes))
        try file.sync(.full)
        let measurement = try records.span.bytes.withUnsafeBytes { (records) throws(FileSystemError) in
            try append(records, to: file)
        }
        try file.close()
        return measurement
    }

    private func append(
        _ records: UnsafeRawBufferPointer, to file: any File
    ) throws(FileSystemError) -> Measurement {
        var latencies = LatencyHistogram()
        let watch = context.stopwatch(share: 1 / Double(context.plan.rawPieces))
        var now = watch.start
        repeat {
            // After the end it continues at the start: overwriting costs the same.
            let position = latencies.count % Self.positions * Self.recordBytes
            let start = latencies.count % Self.recordCount * Self.recordBytes
            let record = UnsafeRawBufferPointer(rebasing: records[start..<start + Self.recordBytes])
            try file.writeFully(record, at: UInt64(position))
            try file.sync(.data)
            let end = Ticks.now
            latencies.record(end - now)
            now = end
        } while !watch.isOver(now)
        return Measurement(.raw, latencies.count, nanoseconds: now - watch.start, latencies: latencies)
    }

    /// Reads the file back, from the disk if the system allows it.
    ///
    /// - Throws: ``Mismatch``, or `FileSystemError`.
    func check(_ count: Int) throws {
        let file = try fileSystem.openFile(path, for: .read)
        file.forgetCache()
        var found = [UInt8](repeating: 0, count: min(count, Self.positions) * Self.recordBytes)
        let read = try found.withUnsafeMutableBytes { (buffer) throws(FileSystemError) in
            try file.readFully(into: buffer, at: 0)
        }
        guard read == found.count else { throw Mismatch(.raw, "the file has become shorter") }
        for position in 0..<min(count, Self.positions) {
            // The last append to this position.
            let number = count - 1 - (count - 1 - position) % Self.positions
            let start = number % Self.recordCount * Self.recordBytes
            let expected = records[start..<start + Self.recordBytes]
            guard found[position * Self.recordBytes..<(position + 1) * Self.recordBytes] == expected else {
                throw Mismatch(.raw, "append number \(number) is not what was written")
            }
        }
        try file.close()
    }
}
