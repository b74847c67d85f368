package import HeartwoodFileSystem
package import HeartwoodFormat

/// The contents of a store's directory, opened for reading as they were at one moment. Names and files are consistent,
/// even while another process writes, rotates segments and drops old ones.
package struct StoreListing {
    /// One name of the directory.
    package struct Entry {
        package var name: String
        package var path: String
        package var meaning: StoreFileName
        /// Nil if it isn't a regular file, isn't read, or can't be opened.
        package var file: (any File)?
        package var size: UInt64 = 0
        /// The kind, if it isn't a regular file.
        package var kind: FileKind?
        package var failure: FileSystemError?

        package init(name: String, path: String, meaning: StoreFileName) {
            self.name = name
            self.path = path
            self.meaning = meaning
        }

        /// Determines the kind, and opens a regular file.
        package mutating func open(
            for access: FileAccess = .read, in fileSystem: any FileSystem
        ) throws(FileSystemError) {
            kind = try fileSystem.kind(of: path)
            guard kind == .file else { return }
            let file = try fileSystem.openFile(path, for: access)
            size = try file.size()
            self.file = file
        }
    }

    package let path: String
    /// Whether this is a single file, without its neighbours.
    package let isFile: Bool
    package private(set) var entries: [Entry] = []
    /// The process that holds the store, according to the lock file. It may have ended.
    package private(set) var holder: Int32?

    /// How often a directory that changes during the reading is read again.
    private static let attempts = 50

    /// - Parameter foreign: Whether to also open files whose names aren't a store's.
    package init(_ path: String, foreign: Bool = false, in fileSystem: any FileSystem) throws(FileSystemError) {
        self.path = path
        isFile = false
        for attempt in 1... {
            let names = try fileSystem.contents(ofDirectory: path)
            let isLast = attempt == Self.attempts
            guard let entries = try Self.open(names, at: path, foreign, mayMiss: isLast, in: fileSystem) else {
                continue
            }
            // The files are of one moment if the names are still the same after all are open.
            let now = try fileSystem.contents(ofDirectory: path)
            guard isLast || Self.dataNames(now) == Self.dataNames(names) else { continue }
            self.entries = entries
            break
        }
        holder = entries.first { $0.meaning == .lock && $0.kind == .file }.flatMap {
            Self.holder($0.path, in: fileSystem)
        }
    }

    /// A directory, or a single file.
    ///
    /// - Throws: `StoreError`: `.notFound` if there is nothing.
    package static func at(_ path: String, foreign: Bool = false, in fileSystem: any FileSystem) throws -> StoreListing
    {
        do throws(FileSystemError) {
            switch try fileSystem.kind(of: path) {
            case .directory?: return try StoreListing(path, foreign: foreign, in: fileSystem.bound(to: path))
            case .file?: return try StoreListing(file: path, in: fileSystem)
            case .symbolicLink?, .other?, nil: break
            }
        } catch {
            throw StoreError(error, "the files could not be read")
        }
        throw StoreError(.notFound, "there is no store and no file here: check the path", file: path)
    }

    /// A single file, whatever its name.
    package init(file path: String, in fileSystem: any FileSystem) throws(FileSystemError) {
        self.path = path
        isFile = true
        let name = path.split(separator: "/").last.map(String.init) ?? path
        var entry = Entry(name: name, path: path, meaning: StoreFileName(name))
        let file = try fileSystem.openFile(path, for: .read)
        entry.size = try file.size()
        entry.file = file
        entry.kind = .file
        entries = [entry]
    }

    /// Files that are already open, of a directory that is locked against changes.
    package init(_ path: String, entries: [Entry]) {
        self.path = path
        self.entries = entries
        isFile = false
    }

    /// Nil if a file was removed before it was opened.
    private static func open(
        _ names: [String], at path: String, _ foreign: Bool, mayMiss: Bool, in fileSystem: any FileSystem
    ) throws(FileSystemError) -> [Entry]? {
        var entries: [Entry] = []
        for name in names where !StoreFileName.isReserve(name) {
            var entry = Entry(name: name, path: path + "/" + name, meaning: StoreFileName(name))
            do throws(FileSystemError) {
                if [.lock, .keepLog].contains(entry.meaning) || entry.meaning == .other && !foreign {
                    entry.kind = try fileSystem.kind(of: entry.path)
                } else {
                    try entry.open(in: fileSystem)
                }
            } catch {
                if error.isNotFound, !mayMiss {
                    // Temporary files come and go; nothing depends on them.
                    if case .temporary = entry.meaning { continue }
                    return nil
                }
                entry.failure = error
            }
            entries.append(entry)
        }
        return entries
    }

    private static func dataNames(_ names: [String]) -> [String] {
        names.filter { StoreFileName($0).isData }
    }

    private static func holder(_ path: String, in fileSystem: any FileSystem) -> Int32? {
        guard let file = try? fileSystem.openFile(path, for: .read) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        guard let count = try? bytes.withUnsafeMutableBytes({ try file.readFully(into: $0, at: 0) }) else { return nil }
        let digits = bytes[..<count].prefix { (0x30...0x39).contains($0) }
        return Int32(String(decoding: digits, as: UTF8.self))
    }

    /// The same listing without some of the names, and with entries of another directory.
    package func leavingOut(_ names: Set<String>, adding other: [Entry]) -> StoreListing {
        var listing = self
        listing.entries = entries.filter { !names.contains($0.name) } + other
        for entry in entries where names.contains(entry.name) { try? entry.file?.close() }
        return listing
    }

    /// Closes the files.
    package func close() {
        for entry in entries { try? entry.file?.close() }
    }
}
