package import HeartwoodFileSystem

/// The bytes of a store's files. They can be damaged and put into a file system in memory.
package struct DirectoryImage: Sendable {
    package static let path = "/store"
    package var files: [String: [UInt8]] = [:]

    package init() {}

    package init(of fileSystem: any FileSystem, at path: String = Self.path) throws {
        for name in try fileSystem.contents(ofDirectory: path) where name != "LOCK" {
            guard try fileSystem.kind(of: path + "/" + name) == .file else { continue }
            let file = try fileSystem.openFile(path + "/" + name, for: .read)
            var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
            _ = try bytes.withUnsafeMutableBytes { try file.readFully(into: $0, at: 0) }
            try file.close()
            files[name] = bytes
        }
    }

    /// A file system with these files in `/store`.
    package func fileSystem() throws -> InMemoryFileSystem {
        let fileSystem = InMemoryFileSystem()
        try fileSystem.createDirectory(Self.path)
        for (name, bytes) in files {
            let file = try fileSystem.openFile(Self.path + "/" + name, for: .create)
            try bytes.withUnsafeBytes { try file.writeFully($0, at: 0) }
            try file.close()
        }
        return fileSystem
    }

    package var logs: [String] { files.keys.filter { $0.hasSuffix(".log") }.sorted() }
    package var snapshots: [String] { files.keys.filter { $0.hasSuffix(".snapshot") }.sorted() }
}
