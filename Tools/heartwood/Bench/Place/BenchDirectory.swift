internal import HeartwoodFileSystem

/// A fresh directory inside of the user's, for everything that is written; it goes with all that is in it, and nothing
/// beside it is touched.
struct BenchDirectory: Sendable {
    private static let prefix = "heartwood-bench-"

    private let fileSystem: any FileSystem
    let path: String

    /// Makes one.
    ///
    /// - Parameter need: Bytes that have to be free.
    /// - Throws: ``Failure``: what to do where it can't be made.
    init(in parent: String, need: UInt64, fileSystem: any FileSystem = POSIXFileSystem()) throws {
        self.fileSystem = fileSystem
        do {
            try Self.checkDirectory(parent, fileSystem)
            if let free = fileSystem.availableBytes(at: parent), free < need {
                throw Failure(
                    .inputOutput,
                    "\(parent) has room for \(Numbers.bytes(free)), and this takes up to \(Numbers.bytes(need)): make room, or "
                        + "measure less with '--records', '--seconds' and '--value-size'")
            }
            path = try Self.makeDirectory(in: parent, fileSystem)
        } catch let error as FileSystemError {
            throw Failure(error, "name a directory that you may write to")
        }
    }

    /// The path of something in it.
    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Removes something in it, if it is there.
    func remove(_ name: String) throws {
        do throws(FileSystemError) {
            try Self.removeAll(path(name), fileSystem)
        } catch {
            throw Failure(error, "look at the disk and the kernel's log")
        }
    }

    /// Removes it.
    func removeAll() throws {
        do throws(FileSystemError) {
            try Self.removeAll(path, fileSystem)
        } catch {
            throw Failure(error, "remove \(path), which only has what was measured with, by hand")
        }
    }

    private static func checkDirectory(_ path: String, _ fileSystem: any FileSystem) throws {
        var kind: FileKind?
        do throws(FileSystemError) {
            kind = try fileSystem.kind(of: path)
        } catch {
            // There can be nothing.
            if !error.isBadPath { throw error }
        }
        guard let kind else {
            throw Failure(
                .noStore, "no such directory: \(path): make it, or name one on the disk that is to be measured")
        }
        guard kind == .directory else {
            throw Failure(.noStore, "\(path) is not a directory: name one on the disk that is to be measured")
        }
    }

    private static func makeDirectory(in parent: String, _ fileSystem: any FileSystem) throws(FileSystemError) -> String
    {
        while true {
            let path =
                "\(parent)\(parent.hasSuffix("/") ? "" : "/")\(prefix)\(String(fileSystem.randomUInt64(), radix: 16))"
            do throws(FileSystemError) {
                try fileSystem.createDirectory(path)
                return path
            } catch {
                if !error.isAlreadyExists { throw error }
            }
        }
    }

    /// What isn't a directory is unlinked, and never followed. A directory that isn't empty refuses to go at first.
    private static func removeAll(_ path: String, _ fileSystem: any FileSystem) throws(FileSystemError) {
        do throws(FileSystemError) {
            try fileSystem.remove(path)
        } catch {
            if error.isNotFound { return }
            guard error.code == ErrorNumber.ENOTEMPTY || error.isAlreadyExists else { throw error }
            for name in try fileSystem.contents(ofDirectory: path) { try removeAll("\(path)/\(name)", fileSystem) }
            try fileSystem.remove(path)
        }
    }
}

extension Failure {
    /// What the system refused, with what to do about it.
    init(_ error: FileSystemError, _ advice: String) {
        self.init(error.isPermission ? .permission : .inputOutput, "\(error): \(advice)")
    }
}
