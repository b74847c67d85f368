internal import Foundation
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Where a page about a store is written; never into the store.
///
/// A regular file is written under a temporary name and renamed, so that it is complete or absent. Anything else that
/// exists (a symbolic link, a pipe, a character device such as `/dev/null`) stays what it is and is written to.
struct PageTarget {
    /// How the page is written.
    private enum Method {
        /// A new file, with at most this mode, is renamed to the path.
        case rename
        /// The existing file is written to; a regular file is truncated first.
        case overwrite
        /// The path is what standard output goes to.
        case standardOutput
    }

    private let path: String
    private let method: Method

    /// - Throws: ``Failure`` with ``ExitStatus/usage`` if the page would be in the store or replace one of its files,
    ///   or if the path is something that no page is written to; with ``ExitStatus/inputOutput`` if the directory
    ///   doesn't exist.
    init(_ path: String, outside store: String) throws(Failure) {
        self.path = path
        method = try Self.method(for: path)
        // Checks the file that is written, after following links.
        let target = method == .overwrite ? Self.resolved(path) ?? path : path
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
        // A single file that is inspected may still be in its store.
        let isInSameStore = store.hasPrefix(directory + "/") && Self.isStore(directory)
        guard !isInside, !isSame, !isInSameStore, !(StoreFileName(name).isStores && Self.resolved(target) != nil) else {
            throw Failure(.usage, "\(path) is in the store, where nothing is written: name another path")
        }
    }

    private static func method(for path: String) throws(Failure) -> Method {
        var link = stat()
        // Other errors of the path are reported when its directory is looked up, or by the write.
        guard lstat(path, &link) == 0 else { return .rename }
        var target = stat()
        guard stat(path, &target) == 0 else {
            throw Failure(
                .usage, "\(path) is a symbolic link that leads nowhere: create its target, or name another path")
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
            switch method {
            case .rename: try writeAndRename(chunks)
            case .overwrite:
                let descriptor = try FileDescriptor.openForWriting(path)
                defer { descriptor.close() }
                for chunk in chunks { try descriptor.writeAll(chunk) }
            case .standardOutput:
                for chunk in chunks { try FileDescriptor.standardOutput.writeAll(chunk) }
            }
        } catch {
            if error.code == EPIPE, method == .standardOutput { throw StandardOutput.Closed() }
            let status = error.isPermission ? ExitStatus.permission : .inputOutput
            throw Failure(status, "\(path) could not be written (\(error.text)): name another path")
        }
    }

    /// Leaves no file if it fails, or if a signal requests a stop.
    private func writeAndRename(_ chunks: [[UInt8]]) throws(SystemError) {
        Signals.noteRequestsToStop()
        let temporary = "\(path).\(String(getpid())).tmp"
        // Only its owner may read it, because it contains the store's keys.
        let descriptor = try FileDescriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        do throws(SystemError) {
            defer { descriptor.close() }
            for chunk in chunks { try descriptor.writeAll(chunk) }
            guard rename(temporary, path) == 0 else { throw SystemError(code: errno) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// The path without links and dots; nil if it doesn't exist.
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
    /// Whether a store may need a file with this name.
    fileprivate var isStores: Bool {
        switch self {
        case .log, .snapshot, .lock, .keepLog: true
        case .temporary, .other: false
        }
    }
}

extension FileDescriptor {
    /// Opens an existing file for writing. A regular file is truncated, and from then on only its owner may read it.
    fileprivate static func openForWriting(_ path: String) throws(SystemError) -> FileDescriptor {
        let descriptor = try open(path, O_WRONLY | O_TRUNC | O_NOCTTY)
        if descriptor.sizeOfRegularFile != nil, fchmod(descriptor.number, 0o600) != 0 {
            let error = SystemError(code: errno)
            descriptor.close()
            throw error
        }
        return descriptor
    }
}
