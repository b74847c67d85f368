#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The file system of a directory.
struct MountedFileSystem: Sendable {
    /// `ext4`, `xfs`, `apfs`, …
    var kind: String
    var device = ""

    /// Whether it is in memory, where a sync has no cost and no effect.
    var isInMemory: Bool { ["tmpfs", "ramfs"].contains(kind) }
}

extension MountedFileSystem {
    /// Nil if the system doesn't report it.
    init?(of path: String) {
        #if canImport(Darwin)
        var information = statfs()
        guard statfs(path, &information) == 0 else { return nil }
        func text<T>(_ characters: T) -> String {
            withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        self.init(kind: text(information.f_fstypename), device: text(information.f_mntfromname))
        #else
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        guard let found = Self.find(String(cString: resolved), in: Self.mounts()) else { return nil }
        self = found
        #endif
    }

    /// Finds an absolute path in the lines of `/proc/self/mounts`: `/dev/vda / ext4 rw,relatime 0 0`.
    static func find(_ path: String, in mounts: some Sequence<String>) -> MountedFileSystem? {
        var best: (length: Int, found: MountedFileSystem)?
        // The longest mount point that contains the path counts, and the last of several with that length.
        for line in mounts {
            let fields = line.split(separator: " ").map { unescaped($0) }
            guard fields.count >= 3 else { continue }
            let point = fields[1]
            guard point == "/" || path == point || path.hasPrefix(point + "/") else { continue }
            guard point.utf8.count >= best?.length ?? 0 else { continue }
            best = (point.utf8.count, MountedFileSystem(kind: fields[2], device: fields[0]))
        }
        return best?.found
    }

    /// The kernel's list has `\040` for a blank, and the like.
    private static func unescaped(_ field: Substring) -> String {
        [("\\040", " "), ("\\011", "\t"), ("\\134", "\\")].reduce(String(field)) { text, pair in
            text.replacing(pair.0, with: pair.1)
        }
    }

    #if !canImport(Darwin)
    private static func mounts() -> [String] {
        guard let file = fopen("/proc/self/mounts", "r") else { return [] }
        defer { fclose(file) }
        var (lines, line, size): ([String], UnsafeMutablePointer<CChar>?, Int) = ([], nil, 0)
        defer { free(line) }
        while getline(&line, &size, file) > 0, let text = line { lines.append(String(cString: text)) }
        return lines
    }
    #endif
}
