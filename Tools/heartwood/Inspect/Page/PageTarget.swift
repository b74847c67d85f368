#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Where a page about a store is written: never into the store, and whole or not at all.
struct PageTarget {
    private let path: String
    /// The directory in which it will lie.
    private let directory: String

    /// - Throws: ``Failure`` with ``ExitStatus/usage`` where the page would lie in the store or take the place of one of its
    ///   files, and with ``ExitStatus/inputOutput`` where there is no such directory.
    init(_ path: String, besides store: String) throws(Failure) {
        let slash = path.lastIndex(of: "/")
        let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard let directory = Self.resolved(parent) else {
            throw Failure(.inputOutput, "\(path) can't be written: there is no directory \(parent)")
        }
        self.path = path
        self.directory = directory
        guard let store = Self.resolved(store) else { return }
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        guard !name.isEmpty else { throw Failure(.usage, "\(path) is a directory: give the page a name in it") }
        let isInside = directory == store || directory.hasPrefix(store + "/")
        let isSame = Self.resolved(path) == store
        // A file that was given by itself may lie in its store all the same.
        let isBeside = store.hasPrefix(directory + "/") && Self.isStore(directory)
        guard !isInside, !isSame, !isBeside, !(StoreFileName(name).isStores && Self.resolved(path) != nil) else {
            throw Failure(.usage, "\(path) lies in the store, into which nothing is written: name another place")
        }
    }

    /// Writes all chunks into a file beside it, and then renames that.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/inputOutput`` or ``ExitStatus/permission``; nothing is left behind then.
    func write(_ chunks: [[UInt8]]) throws(Failure) {
        let temporary = "\(path).\(String(getpid())).tmp"
        do throws(SystemError) {
            let descriptor = try FileDescriptor.create(temporary)
            do throws(SystemError) {
                defer { descriptor.close() }
                for chunk in chunks { try descriptor.writeAll(chunk) }
                guard rename(temporary, path) == 0 else { throw SystemError(code: errno) }
            } catch {
                unlink(temporary)
                throw error
            }
        } catch {
            let status = error.isPermission ? ExitStatus.permission : .inputOutput
            throw Failure(status, "\(path) could not be written (\(error.text)): name another place")
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
        case .log, .snapshot, .lock: true
        case .temporary, .other: false
        }
    }
}

extension FileDescriptor {
    /// Makes a file, which must not be there, for writing.
    fileprivate static func create(_ path: String) throws(SystemError) -> FileDescriptor {
        while true {
            let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
            if number >= 0 { return FileDescriptor(number: number) }
            if errno != EINTR { throw SystemError(code: errno) }
        }
    }
}
