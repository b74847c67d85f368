internal import Foundation
internal import Synchronization

/// The disk space of the files in a directory.
enum DiskUse {
    /// Bytes that are allocated for the files, written or not.
    static func allocatedBytes(of directory: String) -> UInt64 {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.reduce(0) { bytes, name in
            var status = stat()
            // Files that were deleted since the directory was listed don't count.
            guard lstat("\(directory)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return bytes }
            return bytes + UInt64(status.st_blocks) * 512
        }
    }

    /// The same, after it has stopped changing, because engines delete files later. Waits for at most 5 s.
    static func settledBytes(of directory: String) async throws -> UInt64 {
        var bytes = allocatedBytes(of: directory)
        var unchanged = 0
        for _ in 0..<100 where unchanged < 5 {
            try await Task.sleep(for: .milliseconds(50))
            let now = allocatedBytes(of: directory)
            unchanged = now == bytes ? unchanged + 1 : 0
            bytes = now
        }
        return bytes
    }

    /// Calls `body`, and also returns the largest size of the directory meanwhile, measured every 10 ms.
    static func peak<R>(of directory: String, during body: () async throws -> R) async throws -> (R, UInt64) {
        let peak = Peak()
        let repeater = Repeater(milliseconds: 10) { peak.note(allocatedBytes(of: directory)) }
        let result: R
        do {
            defer { repeater.stop() }
            result = try await body()
        }
        // Once more after the end.
        peak.note(allocatedBytes(of: directory))
        return (result, peak.bytes.withLock { $0 })
    }

    private final class Peak: Sendable {
        let bytes = Mutex(UInt64(0))

        func note(_ now: UInt64) { bytes.withLock { $0 = max($0, now) } }
    }
}
