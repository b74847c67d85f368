#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Where a page about a store is written: never into the store.
///
/// A regular file is made beside its name and renamed, so that it is there whole or not at all. What is there already and
/// is something else (a symbolic link, a pipe, a character device such as `/dev/null`) stays what it is and is written to.
struct PageTarget {
    /// How the page comes to its place.
    private enum Way {
        /// A new file, with this mode at most, takes the name.
        case rename
        /// What is there is written to; a regular file is emptied first.
        case overwrite
        /// It is what standard output goes to.
        case standardOutput
    }

    private let path: String
    private let way: Way

    /// - Throws: ``Failure`` with ``ExitStatus/usage`` where the page would lie in the store or take the place of one of its
    ///   files, or where there is something that no page is written to, and with ``ExitStatus/inputOutput`` where there is
    ///   no such directory.
    init(_ path: String, besides store: String) throws(Failure) {
        self.path = path
        way = try Self.way(to: path)
        // The check is about the file that is written, wherever links lead.
        let target = way == .overwrite ? Self.resolved(path) ?? path : path
        let slash = target.lastIndex(of: "/")
        let parent = slash.map { $0 == target.startIndex ? "/" : String(target[..<$0]) } ?? "."
        guard let directory = Self.resolved(parent) else {
            throw Failure(.inputOutput, "\(path) can't be written: there is no directory \(parent)")
        }
        guard let store = Self.resolved(store) else { return }
        let name = slash.map { String(target[target.index(after: $0)...]) } ?? target
        guard !name.isEmpty else { throw Failure(.usage, "\(path) is a directory: give the page a name in it") }
        let isInside = directory == store || directory.hasPrefix(store + "/")
        let isSame = Self.resolved(target) == store
        // A file that was given by itself may lie in its store all the same.
        let isBeside = store.hasPrefix(directory + "/") && Self.isStore(directory)
        guard !isInside, !isSame, !isBeside, !(StoreFileName(name).isStores && Self.resolved(target) != nil) else {
            throw Failure(.usage, "\(path) lies in the store, into which nothing is written: name another place")
        }
    }

    private static func way(to path: String) throws(Failure) -> Way {
        var link = stat()
        // A path that is wrong itself is reported when its directory is looked for, or by the writing.
        guard lstat(path, &link) == 0 else { return .rename }
        var target = stat()
        guard stat(path, &target) == 0 else {
            throw Failure(
                .usage, "\(path) is a symbolic link that leads nowhere: make what it names, or name another place")
        }
        var output = stat()
        if fstat(FileDescriptor.standardOutput.number, &output) == 0, output.st_dev == target.st_dev,
            output.st_ino == target.st_ino
        {
            return .standardOutput
        }
        switch target.st_mode & S_IFMT {
        case S_IFREG: return link.st_mode & S_IFMT == S_IFREG ? .rename : .overwrite
        case S_IFIFO, S_IFCHR: return .overwrite
        case S_IFDIR: throw Failure(.usage, "\(path) is a directory: give the page a name in it")
        default: throw Failure(.usage, "\(path) is a disk or a socket: name a file for the page")
        }
    }

    /// Writes all chunks.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/inputOutput`` or ``ExitStatus/permission``; ``StandardOutput/Closed``.
    func write(_ chunks: [[UInt8]]) throws {
        do throws(SystemError) {
            switch way {
            case .rename: try writeAndRename(chunks)
            case .overwrite:
                let descriptor = try FileDescriptor.openForWriting(path)
                defer { descriptor.close() }
                for chunk in chunks { try descriptor.writeAll(chunk) }
            case .standardOutput:
                for chunk in chunks { try FileDescriptor.standardOutput.writeAll(chunk) }
            }
        } catch {
            if error.code == EPIPE, way == .standardOutput { throw StandardOutput.Closed() }
            let status = error.isPermission ? ExitStatus.permission : .inputOutput
            throw Failure(status, "\(path) could not be written (\(error.text)): name another place")
        }
    }

    /// Nothing is left behind where it fails, or where a signal asks to stop.
    private func writeAndRename(_ chunks: [[UInt8]]) throws(SystemError) {
        Signals.noteRequestsToStop()
        let temporary = "\(path).\(String(getpid())).tmp"
        let descriptor = try FileDescriptor.create(temporary)
        do throws(SystemError) {
            defer { descriptor.close() }
            for chunk in chunks { try descriptor.writeAll(chunk) }
            guard rename(temporary, path) == 0 else { throw SystemError(code: errno) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Without links and dots; nil where there is nothing.
    private static func resolved(_ path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(cString: pointer)
    }

    private static func isStore(_ directory: String) -> Bool {
        resolved(directory + "/" + StoreFileName.lockName) != nil
    }
}

extension StoreFileName {
    /// Whether a file with this name may be one that a store needs.
    fileprivate var isStores: Bool {
        switch self {
        case .log, .snapshot, .lock, .keepLog: true
        case .temporary, .other: false
        }
    }
}

extension FileDescriptor {
    /// Makes a file, which must not be there, for writing. Only its owner may read it: the keys of a store are in it.
    fileprivate static func create(_ path: String) throws(SystemError) -> FileDescriptor {
        while true {
            let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if number >= 0 { return FileDescriptor(number: number) }
            if errno != EINTR { throw SystemError(code: errno) }
        }
    }
    /// Opens what is there for writing. A regular file is emptied, and only its owner may read it from now on.
    fileprivate static func openForWriting(_ path: String) throws(SystemError) -> FileDescriptor {
        while true {
            let number = open(path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC)
            if number >= 0 {
                let descriptor = FileDescriptor(number: number)
                if descriptor.sizeOfRegularFile != nil, fchmod(number, 0o600) != 0 {
                    let error = SystemError(code: errno)
                    descriptor.close()
                    throw error
                }
                return descriptor
            }
            if errno != EINTR { throw SystemError(code: errno) }
        }
    }
}
