package import HeartwoodFileSystem

/// The bytes of a store's files. They can be damaged and put into a file system in memory.
package struct DirectoryImage: Sendable {
    package static let path = "/store"
    package var files: [String: [UInt8]] = [:]

    package init() {}

    package init(of fileSystem: any FileSystem, at path: String = Self.path) throws {
        for name in try fileSystem.contents(ofDirectory: path) where name != "LOCK" {
            guard try fileSystem.kind(of: path + "/" + name) == .file else { continue }
            files[name] = try fileSystem.bytes(of: path + "/" + name)
        }
    }

    /// A file system with these files in `/store`.
    package func fileSystem() throws -> InMemoryFileSystem {
        let fileSystem = InMemoryFileSystem()
        try fileSystem.createDirectory(Self.path)
        for (name, bytes) in files { try fileSystem.create(Self.path + "/" + name, bytes) }
        return fileSystem
    }

    package var logs: [String] { files.keys.filter { $0.hasSuffix(".log") }.sorted() }
    package var snapshots: [String] { files.keys.filter { $0.hasSuffix(".snapshot") }.sorted() }
}
