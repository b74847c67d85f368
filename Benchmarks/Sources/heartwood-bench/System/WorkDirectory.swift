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

    /// Creates a directory with a new name.
    func make(_ name: String) throws -> String {
        try make("\(name)-\(counter.add(1, ordering: .relaxed).newValue)", in: path)
    }

    func make(_ name: String, in directory: String) throws -> String {
        let path = "\(directory)/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        return path
    }

    /// Copies a directory with its files. `cp` keeps holes: almost all of the 64 GiB of LMDB's file is one.
    func copy(_ source: String, to destination: String) throws {
        guard CommandOutput.of("cp", "-R", source, destination) != nil else {
            throw CellFailure(failure: "copying the store failed")
        }
    }

    func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    /// Writes the data of all file systems to the disk.
    func sync() { Foundation.sync() }

    /// Deletes this directory.
    func removeAll() { remove(path) }

    /// Free bytes for this user.
    var freeBytes: UInt64 {
        var information = statvfs()
        guard statvfs(path, &information) == 0 else { return .max }
        return UInt64(information.f_bavail) * UInt64(information.f_frsize)
    }
}

/// The output of another program.
enum CommandOutput {
    /// Nil if the program doesn't exist or fails.
    static func of(_ arguments: String...) -> String? { run(arguments) }

    static func firstLine(_ arguments: String...) -> String? {
        run(arguments)?.split(separator: "\n").first.map(String.init)
    }

    private static func run(_ arguments: [String]) -> String? {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
    }
}
