import HeartwoodFileSystem

/// The files of a store as bytes. They fit into a file system in memory: thousands of damaged copies a second.
struct FileImage: Sendable {
    var files: [String: [UInt8]] = [:]

    /// The log segments of a directory on disk.
    init(ofStore path: String) throws { try self.init(of: POSIXFileSystem(), path) }

    init() {}

    /// The log segments of a store; with `everything`, all of its files except the lock.
    init(of fileSystem: any FileSystem, _ store: String = "/store", everything: Bool = false) throws {
        for name in try fileSystem.contents(ofDirectory: store) where name != "LOCK" {
            let path = store + "/" + name
            guard everything || name.hasSuffix(".log"), try fileSystem.kind(of: path) == .file else { continue }
            let file = try fileSystem.openFile(path, for: .read)
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

    /// Replaces everything in `/store`, except the lock, by these files.
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
