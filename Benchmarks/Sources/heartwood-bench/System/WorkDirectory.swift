internal import Foundation
internal import Synchronization

/// A fresh directory on the disk that is measured. Everything in it is deleted.
final class WorkDirectory: Sendable {
    /// Its absolute path.
    let path: String
    private let counter = Atomic<Int>(0)

    /// Makes a fresh directory in `parent`, which is made too where it isn't there.
    init(in parent: String) throws {
        let parent = URL(fileURLWithPath: parent).standardizedFileURL
        let url = parent.appendingPathComponent("heartwood-bench-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
    }

    /// A path that nothing is at.
    func freshPath(_ name: String) -> String {
        "\(path)/\(name)-\(counter.add(1, ordering: .relaxed).newValue)"
    }

    /// Copies a directory with all its files.
    func copy(_ source: String, to destination: String) throws {
        try FileManager.default.copyItem(atPath: source, toPath: destination)
    }

    /// Makes a directory.
    func make(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    /// Deletes a file or directory.
    func remove(_ path: String) throws {
        try FileManager.default.removeItem(atPath: path)
    }

    /// Brings what was written before, here and elsewhere, to the disk.
    func settle() { sync() }

    /// Deletes the directory.
    func removeAll() {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Bytes that are free for this user.
    var freeBytes: UInt64 {
        var information = statvfs()
        guard statvfs(path, &information) == 0 else { return .max }
        return UInt64(information.f_bavail) * UInt64(information.f_frsize)
    }
}
