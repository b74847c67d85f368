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

    /// A file system with these files in `/store`.
    func fileSystem() throws -> InMemoryFileSystem {
        let fileSystem = InMemoryFileSystem()
        try fileSystem.createDirectory("/store")
        for (name, bytes) in files {
            let file = try fileSystem.openFile("/store/" + name, for: .create)
            try bytes.withUnsafeBytes { try file.writeFully($0, at: 0) }
            try file.close()
        }
        return fileSystem
    }
}
