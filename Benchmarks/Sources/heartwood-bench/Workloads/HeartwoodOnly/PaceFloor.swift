internal import HeartwoodFileSystem

/// Steps at the rate of `PutLatency` without a store, while a thread writes files of the size of a snapshot, syncs them
/// and reads them: how late the scheduler and the file system alone make steps on this machine.
enum PaceFloor {
    /// Bytes of a record in a file in addition to key and value.
    private static let overhead = 32

    static func measure(_ cell: Cell) async throws -> Measured {
        let path = "\(cell.scratch)/copied"
        let bytes = UInt64((overhead + cell.data.pairBytes) * cell.data.keyCount)
        let isOver = Signal()
        async let copied: Void = onThread { try copy(bytes, to: path, until: isOver) }
        let start = Ticks.now
        let steps: Pace.Steps
        do {
            defer { isOver.raise() }
            steps = try await Task {
                try await Pace(rate: PutLatency.rate, nanoseconds: cell.nanoseconds, since: start).steps { work() }
            }.value
        }
        try await copied
        return Measured(paced: steps, since: start, bytesEach: 0)
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
