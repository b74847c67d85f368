import HeartwoodFileSystem
import HeartwoodTesting
import Testing

extension FileSystem {
    /// Creates a file with these bytes; syncs nothing.
    @discardableResult
    func make(_ path: String, _ bytes: [UInt8] = []) throws -> any File {
        let file = try openFile(path, for: .create)
        try file.write(bytes)
        return file
    }

    /// Creates a durable file with these bytes.
    @discardableResult
    func makeDurably(_ path: String, _ bytes: [UInt8] = []) throws -> any File {
        let file = try make(path, bytes)
        try file.sync(.full)
        let parent = path[..<path.lastIndex(of: "/")!]
        try syncDirectory(parent.isEmpty ? "/" : String(parent))
        return file
    }

    func bytes(of path: String) throws -> [UInt8] { try openFile(path, for: .read).bytes() }
}

extension File {
    func write(_ bytes: [UInt8], at offset: UInt64 = 0) throws {
        try bytes.withUnsafeBytes { try writeFully($0, at: offset) }
    }

    func bytes() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0xEE, count: Int(try size()))
        let count = try bytes.withUnsafeMutableBytes { try readFully(into: $0, at: 0) }
        return Array(bytes[..<count])
    }
}

/// Sectors, each filled with one byte.
func sectors(_ fills: UInt8...) -> [UInt8] { fills.flatMap { [UInt8](repeating: $0, count: 512) } }

/// The files and directories of a disk, for comparison.
struct Picture: Hashable, CustomStringConvertible {
    var files: [String: [UInt8]] = [:]
    var directories: Set<String> = []

    init(_ files: [String: [UInt8]] = [:], directories: Set<String> = []) {
        self.files = files
        self.directories = directories
    }

    init(_ image: DiskImage) {
        for path in image.files { files[path] = image[path: path] }
        directories = Set(image.directories)
    }

    /// Each file as runs of the same byte.
    var description: String {
        let texts = files.sorted { $0.key < $1.key }.map { path, bytes in
            var runs: [(UInt8, Int)] = []
            for byte in bytes {
                if runs.last?.0 == byte { runs[runs.count - 1].1 += 1 } else { runs.append((byte, 1)) }
            }
            return path + ": " + runs.map { "\($0.1)x\($0.0)" }.joined(separator: " ")
        }
        return "{" + (directories.sorted() + texts).joined(separator: ", ") + "}"
    }
}

extension SimulatedDisk {
    /// All images that a crash may leave now.
    var afterCrash: Set<Picture> {
        let trace = trace
        let end = trace.events.count
        return Set(trace.crashStates(in: end..<(end + 1), limit: 1 << 20).map { Picture($0.image) })
    }

    /// All contents that a crash may leave of one file now; nil if the file may be missing.
    func afterCrash(of path: String) -> Set<[UInt8]?> { Set(afterCrash.map { $0.files[path] }) }
}

/// Expects a file system error of this code.
func expectError(
    _ code: Int32, _ operation: FileSystemError.Operation? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) {
    let error = #expect(throws: FileSystemError.self, sourceLocation: sourceLocation) { try body() }
    guard let error else { return }
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    if let operation { #expect(error.operation == operation, sourceLocation: sourceLocation) }
}
