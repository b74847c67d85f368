internal import Foundation
internal import Synchronization

/// The room that the files of a directory take.
enum DiskUse {
    /// Bytes that the file system has laid out for them, written or not.
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
            // What went since it was listed takes nothing.
            guard found == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            bytes += UInt64(status.st_blocks) * 512
        }
        return bytes
    }

    /// The same, once it doesn't change any more: engines delete files a little later. Waits for 5 s at most.
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

    /// Calls `body`, and tells the most that the directory took meanwhile, of a look every 10 ms.
    static func peak<R>(of directory: String, during body: () async throws -> R) async throws -> (R, UInt64) {
        let isOver = Signal()
        async let peak = onThread {
            var peak: UInt64 = 0
            while true {
                // The last look comes after the end.
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
