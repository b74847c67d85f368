internal import HeartwoodFileSystem

/// Steps at the rate of ``PutLatency`` that need no store, beside a thread that writes files as large as a snapshot, syncs
/// them and reads them: how late steps are on this machine by its scheduler and its file system alone.
struct PaceFloor: Workload {
    let name = "pace-beside-copying"
    let title = "200,000 steps a second of half a µs, no store, beside a thread that writes files"
    let group = WorkloadGroup.compaction

    /// What a record takes in a file besides key and value.
    private static let overhead: UInt64 = 32

    func measure(_ run: Run) async throws -> Sample {
        let path = run.directory.freshPath("copied")
        let bytes = Self.overhead * UInt64(run.data.keyCount) + UInt64(run.data.pairBytes)
        let isOver = Signal()
        async let copied: Void = onThread { try Self.copy(bytes, to: path, until: isOver) }
        let steps: Pace.Steps
        do {
            defer { isOver.raise() }
            steps = try await Task { try await Pace.steps(run) { Self.work() } }.value
        }
        try await copied
        return Sample(
            operations: steps.latencies.count, seconds: steps.seconds, latencies: steps.latencies,
            figures: [.stalls: Double(steps.stalls.all.count)])
    }

    private static func work() {
        let end = Ticks.now + 500
        while Ticks.now < end {}
    }

    private static func copy(_ bytes: UInt64, to path: String, until isOver: Signal) throws {
        let fileSystem = POSIXFileSystem()
        let piece = 1 << 20
        var buffer = [UInt8](repeating: 0x5A, count: piece)
        while !isOver.isRaised {
            let file = try fileSystem.openFile(path, for: .create)
            for start in stride(from: 0, to: bytes, by: piece) where !isOver.isRaised {
                try buffer.withUnsafeBytes { try file.writeFully($0, at: start) }
            }
            try file.sync(.full)
            for start in stride(from: 0, to: bytes, by: piece) where !isOver.isRaised {
                _ = try buffer.withUnsafeMutableBytes { try file.readFully(into: $0, at: start) }
            }
            try file.close()
            try fileSystem.remove(path)
        }
    }
}
