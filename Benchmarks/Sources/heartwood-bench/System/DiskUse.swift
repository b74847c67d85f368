internal import Foundation
internal import Synchronization

/// The disk space of the files in a directory.
enum DiskUse {
    /// Bytes that are allocated for the files, written or not.
    static func allocatedBytes(of directory: String) -> UInt64 {
        guard let entries = opendir(directory) else { return 0 }
        defer { closedir(entries) }
        let descriptor = dirfd(entries)
        var bytes: UInt64 = 0
        while let entry = readdir(entries) {
            var status = stat()
            let found = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) {
                    fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW)
                }
            }
            // Files that were deleted since the directory was listed don't count.
            guard found == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            bytes += UInt64(status.st_blocks) * 512
        }
        return bytes
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
        let isOver = Signal()
        async let peak = onThread {
            var peak: UInt64 = 0
            while true {
                // Measures once more after the end.
                let isLast = isOver.isRaised
                peak = max(peak, allocatedBytes(of: directory))
                if isLast { return peak }
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
        let result: R
        do {
            defer { isOver.raise() }
            result = try await body()
        }
        return (result, try await peak)
    }
}
