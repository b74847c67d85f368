import Foundation
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

/// The file systems that the same tests run against.
enum Implementation: CaseIterable, Sendable {
    case posix
    case memory
    case simulated

    /// Calls `body` with a file system and the path of an empty directory in it; removes the directory afterwards.
    func withDirectory<R>(_ body: (any FileSystem, String) throws -> R) throws -> R {
        switch self {
        case .posix:
            return try withTemporaryDirectory { path in try body(POSIXFileSystem(), path) }
        case .memory:
            let fileSystem = InMemoryFileSystem()
            try fileSystem.createDirectory("/volume")
            return try body(fileSystem, "/volume")
        case .simulated:
            let fileSystem = SimulatedDisk()
            try fileSystem.createDirectory("/volume")
            return try body(fileSystem, "/volume")
        }
    }
}

/// Calls `body` with the path of an empty directory on the disk; removes the directory and its contents afterwards.
func withTemporaryDirectory<R>(_ body: (String) throws -> R) throws -> R {
    let path = try makeTemporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}

func makeTemporaryDirectory() throws -> String {
    var template = Array("/tmp/heartwood-tests-XXXXXX".utf8CString)
    return try #require(
        template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!).map { String(cString: $0) } })
}

extension File {
    func write(_ text: String, at offset: UInt64 = 0) throws { try write(Array(text.utf8), at: offset) }

    func write(_ bytes: [UInt8], at offset: UInt64 = 0) throws {
        try bytes.withUnsafeBytes { try writeFully($0, at: offset) }
    }

    /// Up to `count` bytes at `offset`.
    func bytes(_ count: Int, at offset: UInt64 = 0) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0xEE, count: count)
        let length = try bytes.withUnsafeMutableBytes { try readFully(into: $0, at: offset) }
        return Array(bytes[..<length])
    }

    /// The whole file.
    func text() throws -> String {
        String(decoding: try bytes(Int(try size())), as: UTF8.self)
    }
}

/// Expects a file system error of this code, and returns it.
@discardableResult
func expectError(
    _ code: Int32, _ operation: FileSystemError.Operation? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) -> FileSystemError? {
    let error = #expect(throws: FileSystemError.self, sourceLocation: sourceLocation) { try body() }
    guard let error else { return nil }
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    if let operation { #expect(error.operation == operation, sourceLocation: sourceLocation) }
    return error
}

/// What `stat` says of a path.
func status(_ path: String) throws -> stat {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return status
}
