#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The kind of file system that a directory is on: `ext4`, `xfs`, `apfs`, …
struct DiskKind: Sendable {
    let name: String

    /// Whether it is memory: a sync costs nothing and keeps nothing.
    var isMemory: Bool { ["tmpfs", "ramfs"].contains(name) }

    init(name: String) { self.name = name }

    /// Nil if the system doesn't say.
    init?(of path: String) {
        #if canImport(Darwin)
        var information = statfs()
        guard statfs(path, &information) == 0 else { return nil }
        name = withUnsafeBytes(of: information.f_fstypename) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        #else
        var status = stat()
        guard stat(path, &status) == 0, let mounts = try? Self.mounts() else { return nil }
        guard let name = Self.name(ofDevice: UInt64(status.st_dev), in: mounts) else { return nil }
        self.name = name
        #endif
    }

    /// The name in the lines of `/proc/self/mountinfo`:
    /// `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`. The third field is the device; the field after
    /// the dash is the kind (proc_pid_mountinfo(5)).
    static func name(ofDevice device: UInt64, in mounts: String) -> String? {
        // The inverse of makedev(3).
        let major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
        let minor = (device & 0xFF) | (device >> 12 & ~0xFF)
        for line in mounts.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 2, fields[2] == "\(major):\(minor)" else { continue }
            guard let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else { continue }
            return String(fields[dash + 1])
        }
        return nil
    }

    private static func mounts() throws -> String {
        let file = try FileDescriptor.openForReading("/proc/self/mountinfo")
        defer { file.close() }
        var (text, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 16 << 10))
        while true {
            let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
            if count == 0 { return String(decoding: text, as: UTF8.self) }
            text += buffer[..<count]
        }
    }
}
