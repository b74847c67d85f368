internal import Foundation
internal import Synchronization

/// A new directory on the disk that is measured. It is deleted afterwards.
final class WorkDirectory: Sendable {
    /// Its absolute path.
    let path: String
    private let counter = Atomic<Int>(0)

    /// Creates a new directory in `parent`, and `parent` if it doesn't exist.
    init(in parent: String) throws {
        let parent = URL(fileURLWithPath: parent).standardizedFileURL
        let url = parent.appendingPathComponent("heartwood-bench-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
    }

    /// A path that doesn't exist.
    func newPath(_ name: String) -> String {
        "\(path)/\(name)-\(counter.add(1, ordering: .relaxed).newValue)"
    }

    /// Copies a directory with its files. `cp` keeps holes: almost all of the 64 GiB of LMDB's file is one.
    func copy(_ source: String, to destination: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["cp", "-R", source, destination]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CellFailure(failure: "copying the store failed: cp exited with code \(process.terminationStatus)")
        }
    }

    func make(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    func remove(_ path: String) throws {
        try FileManager.default.removeItem(atPath: path)
    }

    /// Writes the data of all file systems to the disk.
    func sync() { Foundation.sync() }

    /// Deletes this directory.
    func removeAll() {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Free bytes for this user.
    var freeBytes: UInt64 {
        var information = statvfs()
        guard statvfs(path, &information) == 0 else { return .max }
        return UInt64(information.f_bavail) * UInt64(information.f_frsize)
    }
}
