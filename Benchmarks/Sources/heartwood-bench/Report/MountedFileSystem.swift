internal import Foundation

/// The file system of a directory.
struct MountedFileSystem: Sendable, Codable {
    /// `ext4`, `xfs`, `apfs`, …
    var kind: String
    var device: String
    var mountPoint: String
    var options: String

    /// Whether it is in memory, where a sync has no cost and no effect.
    var isInMemory: Bool { ["tmpfs", "ramfs"].contains(kind) }

    /// The file system of an absolute path; nil if it isn't known.
    static func of(_ path: String) -> MountedFileSystem? {
        #if canImport(Darwin)
        var information = statfs()
        guard statfs(path, &information) == 0 else { return nil }
        func text<T>(_ characters: T) -> String {
            withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return MountedFileSystem(
            kind: text(information.f_fstypename), device: text(information.f_mntfromname),
            mountPoint: text(information.f_mntonname), options: "")
        #else
        guard let mounts = try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8) else { return nil }
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        var best: MountedFileSystem?
        // The longest mount point that contains the path counts, and the last of several with that length.
        for line in mounts.split(separator: "\n") {
            let fields = line.split(separator: " ").map { unescaped($0) }
            guard fields.count >= 4, contains(fields[1], path) else { continue }
            if fields[1].utf8.count >= (best?.mountPoint.utf8.count ?? 0) {
                best = MountedFileSystem(kind: fields[2], device: fields[0], mountPoint: fields[1], options: fields[3])
            }
        }
        return best
        #endif
    }

    private static func contains(_ mountPoint: String, _ path: String) -> Bool {
        mountPoint == "/" || path == mountPoint || path.hasPrefix(mountPoint + "/")
    }

    /// The kernel's list has `\040` for a blank, and the like.
    private static func unescaped(_ field: Substring) -> String {
        field.replacingOccurrences(of: "\\040", with: " ").replacingOccurrences(of: "\\011", with: "\t")
            .replacingOccurrences(of: "\\134", with: "\\")
    }
}
