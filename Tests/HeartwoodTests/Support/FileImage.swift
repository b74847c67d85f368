import HeartwoodFileSystem

/// The files of a store as bytes, to be put into a file system in memory: thousands of damaged copies a second.
struct FileImage: Sendable {
    var files: [String: [UInt8]] = [:]

    /// The log segments of a directory on disk.
    init(ofStore path: String) throws {
        for segment in TemporaryDirectory.segments(of: path) {
            files[String(segment.dropFirst(path.count + 1))] = try TemporaryDirectory.bytes(of: segment)
        }
    }

    /// No files yet.
    init() {}

    /// The log segments in `/store` of a file system; with `everything`, all of its files but the lock.
    init(of fileSystem: any FileSystem, everything: Bool = false) throws {
        for name in try fileSystem.contents(ofDirectory: "/store") where name != "LOCK" {
            guard everything || name.hasSuffix(".log"), try fileSystem.kind(of: "/store/" + name) == .file else {
                continue
            }
            let file = try fileSystem.openFile("/store/" + name, for: .read)
            var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
            _ = try bytes.withUnsafeMutableBytes { try file.readFully(into: $0, at: 0) }
            try file.close()
            files[name] = bytes
        }
    }

    /// A file system with these files in `/store`.
    func fileSystem() throws -> InMemoryFileSystem {
        let fileSystem = InMemoryFileSystem()
        try fileSystem.createDirectory("/store")
        try put(into: fileSystem)
        return fileSystem
    }

    /// Puts these files into `/store` in place of all that is there but the lock.
    func put(into fileSystem: any FileSystem) throws {
        for name in try fileSystem.contents(ofDirectory: "/store") where name != "LOCK" {
            try fileSystem.remove("/store/" + name)
        }
        for (name, bytes) in files {
            let file = try fileSystem.openFile("/store/" + name, for: .create)
            try bytes.withUnsafeBytes { try file.writeFully($0, at: 0) }
            try file.close()
        }
    }
}
