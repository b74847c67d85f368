package import HeartwoodFileSystem

/// The content of a disk: directories, and files with their bytes, by absolute path.
///
/// Cheap to copy: images share equal content.
public struct DiskImage: Sendable {
    enum Entry: Sendable {
        case directory
        case file(PagedBytes)
    }

    /// By absolute path, without the root.
    var entries: [String: Entry] = [:]

    /// An empty disk.
    public init() {}

    /// The paths of the files, sorted. O(n log n).
    public var files: [String] {
        entries.compactMap { path, entry in if case .file = entry { path } else { nil } }.sorted()
    }

    /// The paths of the directories except the root, sorted. O(n log n).
    public var directories: [String] {
        entries.compactMap { path, entry in if case .directory = entry { path } else { nil } }.sorted()
    }

    /// The bytes of a file; nil if there is none. Setting bytes creates the file and the directories above it, and
    /// replaces anything that is in the way. Setting nil removes the file, or the directory with all its content.
    /// O(bytes).
    public subscript(path path: String) -> [UInt8]? {
        get {
            guard case .file(let bytes)? = entries[Self.normal(path)] else { return nil }
            return bytes.bytes
        }
        set { set(Self.normal(path), to: newValue.map { .file(PagedBytes($0)) }) }
    }

    /// Adds an empty directory, and the directories above it. Does nothing if the directory exists.
    public mutating func makeDirectory(_ path: String) {
        let path = Self.normal(path)
        if case .directory? = entries[path] { return }
        set(path, to: .directory)
    }

    private mutating func set(_ path: String, to entry: Entry?) {
        guard !path.isEmpty else { return }
        if case .directory? = entries[path] {
            for other in entries.keys where other.hasPrefix(path + "/") { entries[other] = nil }
        }
        entries[path] = entry
        guard entry != nil, let slash = path.lastIndex(of: "/") else { return }
        makeDirectory(String(path[..<slash]))
    }

    /// Normalizes a path: one slash in front of each name and no other; empty for the root.
    private static func normal(_ path: String) -> String {
        path.split(separator: "/").map { "/" + $0 }.joined()
    }

    /// A number that is the same for equal images, and very likely different for others. It has 64 bits and is for
    /// counting images, not for security.
    ///
    /// - Parameter ignoring: Returns true for a path that does not count.
    package func fingerprint(ignoring: (String) -> Bool = { _ in false }) -> UInt64 {
        var sum: UInt64 = 0
        for (path, entry) in entries where !ignoring(path) {
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in path.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
            switch entry {
            case .directory: sum &+= SeededRandom.mix(hash)
            case .file(let bytes): sum &+= SeededRandom.mix(SeededRandom.mix(hash) ^ bytes.fingerprint)
            }
        }
        return sum
    }

    /// Writes the image into a directory of a real file system, for inspection or as evidence. Creates the directory if
    /// needed. Syncs nothing.
    ///
    /// - Throws: What the system reports; also if a file exists already.
    public func write(into directory: String) throws {
        try write(into: directory, of: POSIXFileSystem())
    }

    package func write(into directory: String, of fileSystem: any FileSystem) throws(FileSystemError) {
        if try fileSystem.kind(of: directory) == nil { try fileSystem.createDirectory(directory) }
        for path in entries.keys.sorted() {
            switch entries[path]! {
            case .directory:
                if try fileSystem.kind(of: directory + path) == nil {
                    try fileSystem.createDirectory(directory + path)
                }
            case .file(let contents):
                let file = try fileSystem.openFile(directory + path, for: .create)
                let failure = contents.bytes.withUnsafeBytes { bytes -> FileSystemError? in
                    do throws(FileSystemError) {
                        try file.writeFully(bytes, at: 0)
                        try file.close()
                        return nil
                    } catch {
                        return error
                    }
                }
                if let failure { throw failure }
            }
        }
    }

    /// Reads the content of a directory of a real file system; the directory becomes the root. Leaves out everything
    /// that is neither a file nor a directory.
    ///
    /// - Throws: What the system reports.
    public init(readingFrom directory: String) throws {
        try self.init(readingFrom: directory, of: POSIXFileSystem())
    }

    package init(readingFrom directory: String, of fileSystem: any FileSystem) throws(FileSystemError) {
        try read(directory, "", fileSystem)
    }

    private mutating func read(
        _ directory: String, _ path: String, _ fileSystem: any FileSystem
    ) throws(FileSystemError) {
        for name in try fileSystem.contents(ofDirectory: directory + path) {
            let child = path + "/" + name
            switch try fileSystem.kind(of: directory + child) {
            case .directory?:
                entries[child] = .directory
                try read(directory, child, fileSystem)
            case .file?:
                entries[child] = .file(PagedBytes(try Self.bytes(of: directory + child, fileSystem)))
            case .symbolicLink?, .other?, nil: break
            }
        }
    }

    private static func bytes(of path: String, _ fileSystem: any FileSystem) throws(FileSystemError) -> [UInt8] {
        let file = try fileSystem.openFile(path, for: .read)
        var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
        let outcome = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(FileSystemError) in try file.readFully(into: buffer, at: 0) }
        }
        bytes.removeLast(bytes.count - (try outcome.get()))
        try file.close()
        return bytes
    }
}

extension DiskImage: Equatable {}
extension DiskImage.Entry: Equatable {}

extension DiskImage: CustomStringConvertible {
    /// One line for each file and directory, such as "/store/0000000000000001.log: 8192 bytes".
    public var description: String {
        entries.sorted { $0.key < $1.key }.map { path, entry in
            switch entry {
            case .directory: path + "/"
            case .file(let bytes): "\(path): \(bytes.size) bytes"
            }
        }.joined(separator: "\n")
    }
}
