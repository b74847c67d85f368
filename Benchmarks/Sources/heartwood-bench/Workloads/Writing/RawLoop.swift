/// The physical limit of one writer: append 128 bytes to a file of zeros, wait for the disk, again.
struct RawLoop: Workload {
    static let name = "raw"
    let name: String = Self.name
    let title = "raw: append 128 B, fdatasync"
    let group = WorkloadGroup.durable
    let engine = "raw"

    private static let recordBytes = 128
    private static let fileBytes = 64 << 20

    func measure(_ run: Run) async throws -> Sample {
        try await onThread {
            let path = run.directory.freshPath("raw")
            defer { try? run.directory.remove(path) }
            let file = try RawFile(zeros: Self.fileBytes, at: path)
            var random = SplitMix64(seed: 1)
            let records = random.bytes(Self.recordBytes * 1024)
            return try records.withUnsafeBytes { try loop(run, file, $0) }
        }
    }

    private func loop(_ run: Run, _ file: RawFile, _ records: UnsafeRawBufferPointer) throws -> Sample {
        var latencies = Latencies()
        var count = 0
        let start = Ticks.now
        var now = start
        while !run.isOver(now, deadline: start + run.nanoseconds) {
            let from = count % 1024 * Self.recordBytes
            // Beyond the end it starts from the front: overwriting costs the same.
            let offset = count * Self.recordBytes % Self.fileBytes
            try file.write(records[from..<from + Self.recordBytes], at: offset)
            try file.sync()
            let end = Ticks.now
            latencies.record(end - now)
            now = end
            count += 1
        }
        return Sample(
            operations: count, seconds: Ticks.seconds(from: start, to: now), latencies: latencies,
            sharing: (UInt64(count), UInt64(count)))
    }
}
