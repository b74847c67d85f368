internal import HeartwoodFileSystem

/// A new directory inside the user's directory, for everything that is written. It is removed with all its contents;
/// nothing else in the user's directory is touched.
struct BenchDirectory: Sendable {
    private static let prefix = "heartwood-bench-"

    private let fileSystem: any FileSystem
    let path: String

    /// Makes the directory.
    ///
    /// - Parameter need: The number of bytes that must be free.
    /// - Throws: ``Failure``: what to do if it can't be made.
    init(in parent: String, need: UInt64, fileSystem: any FileSystem = POSIXFileSystem()) throws {
        self.fileSystem = fileSystem
        do {
            try Self.checkDirectory(parent, fileSystem)
            if let free = fileSystem.availableBytes(at: parent), free < need {
                throw Failure(
                    .inputOutput,
                    "\(parent) has \(Numbers.bytes(free)) of free space, and this takes up to \(Numbers.bytes(need)): "
                        + "free some space, or measure less with '--records', '--seconds' and '--value-size'")
            }
            path = try Self.makeDirectory(in: parent, fileSystem)
        } catch let error as FileSystemError {
            throw Failure(error, "name a directory that you may write to")
        }
    }

    /// The path of a file or directory in it.
    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Removes a file or directory in it, if it exists.
    func remove(_ name: String) throws {
        do throws(FileSystemError) {
            try Self.removeAll(path(name), fileSystem)
        } catch {
            throw Failure(error, "check the disk and the kernel's log")
        }
    }

    /// Removes the directory.
    func removeAll() throws {
        do throws(FileSystemError) {
            try Self.removeAll(path, fileSystem)
        } catch {
            throw Failure(error, "remove \(path) by hand: it contains only data of the measurement")
        }
    }

    private static func checkDirectory(_ path: String, _ fileSystem: any FileSystem) throws {
        var kind: FileKind?
        do throws(FileSystemError) {
            kind = try fileSystem.kind(of: path)
        } catch {
            // At a bad path there is nothing to remove.
            if !error.isBadPath { throw error }
        }
        guard let kind else {
            throw Failure(
                .noStore, "no such directory: \(path): create it, or name one on the disk to measure")
        }
        guard kind == .directory else {
            throw Failure(.noStore, "\(path) is not a directory: name one on the disk to measure")
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

    /// Unlinks everything that isn't a directory, and never follows links. A directory that isn't empty is emptied
    /// first.
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
    /// The system's error, with what to do about it.
    init(_ error: FileSystemError, _ advice: String) {
        self.init(error.isPermission ? .permission : .inputOutput, "\(error): \(advice)")
    }
}
