package import HeartwoodFileSystem

extension FileSystem {
    /// Creates a file with these bytes.
    package func create(_ path: String, _ bytes: [UInt8]) throws {
        let file = try openFile(path, for: .create)
        try bytes.withUnsafeBytes { try file.writeFully($0, at: 0) }
        try file.close()
    }

    /// All bytes of a file.
    package func bytes(of path: String) throws -> [UInt8] {
        let file = try openFile(path, for: .read)
        var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
        _ = try bytes.withUnsafeMutableBytes { try file.readFully(into: $0, at: 0) }
        try file.close()
        return bytes
    }
}
