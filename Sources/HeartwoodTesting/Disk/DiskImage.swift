public import HeartwoodFileSystem

/// What is on a disk at a moment: directories and files with their bytes, by absolute path.
///
/// Cheap to copy: images share what they have in common.
public struct DiskImage: Sendable {
    enum Entry: Sendable {
        case directory
        case file(PagedBytes)
    }

    /// By absolute path; the root is not among them.
    var entries: [String: Entry] = [:]

    /// An empty disk.
    public init() {}

    /// The paths of the files, sorted. O(n log n).
    public var files: [String] {
        entries.compactMap { path, entry in if case .file = entry { path } else { nil } }.sorted()
    }

    /// The paths of the directories but for the root, sorted. O(n log n).
    public var directories: [String] {
        entries.compactMap { path, entry in if case .directory = entry { path } else { nil } }.sorted()
    }

    /// The bytes of a file; nil where there is none. Setting them makes the file, and the directories above it. O(bytes).
    public subscript(path path: String) -> [UInt8]? {
        get {
            guard case .file(let bytes)? = entries[path] else { return nil }
            return bytes.bytes
        }
        set {
            guard let newValue else {
                entries[path] = nil
                return
            }
            makeDirectories(above: path)
            entries[path] = .file(PagedBytes(newValue))
        }
    }

    /// Adds an empty directory, and those above it.
    public mutating func makeDirectory(_ path: String) {
        makeDirectories(above: path)
        entries[path] = .directory
    }

    private mutating func makeDirectories(above path: String) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        let parent = String(path[..<slash])
        guard entries[parent] == nil else { return }
        makeDirectories(above: parent)
        entries[parent] = .directory
    }

    /// A number that is the same for equal images, and in all likelihood another for others: 64 bits, for counting
    /// images, not for security.
    ///
    /// - Parameter ignoring: Paths that don't count.
    public func fingerprint(ignoring: (String) -> Bool = { _ in false }) -> UInt64 {
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

    /// Writes the image into a directory of a real file system, to be looked at or kept as evidence.
    ///
    /// - Throws: `FileSystemError`; `EEXIST` where a file is there already.
    public func write(
        into directory: String, of fileSystem: any FileSystem = POSIXFileSystem()
    ) throws(FileSystemError) {
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

    /// Reads what is in a directory of a real file system; the directory becomes the root.
    ///
    /// - Throws: `FileSystemError`.
    public init(
        readingFrom directory: String, of fileSystem: any FileSystem = POSIXFileSystem()
    ) throws(FileSystemError) {
        try read(directory, "", fileSystem)
    }

    private mutating func read(
        _ directory: String, _ path: String, _ fileSystem: any FileSystem
    ) throws(FileSystemError) {
        for name in try fileSystem.contents(ofDirectory: directory + path) {
            let child = path + "/" + name
            if try fileSystem.kind(of: directory + child) == .directory {
                entries[child] = .directory
                try read(directory, child, fileSystem)
                continue
            }
            let file = try fileSystem.openFile(directory + child, for: .read)
            var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
            let outcome = bytes.withUnsafeMutableBytes { buffer in
                Result { () throws(FileSystemError) in try file.readFully(into: buffer, at: 0) }
            }
            _ = try outcome.get()
            entries[child] = .file(PagedBytes(bytes))
        }
    }
}
