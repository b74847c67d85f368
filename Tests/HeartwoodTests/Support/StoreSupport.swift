import Heartwood
import HeartwoodFileSystem

extension Store.Configuration {
    /// The defaults, except for the file system and the sizes.
    init(in fileSystem: any FileSystem, segmentBytes: Int = 64 << 20, commitBufferBytes: Int = 4 << 20) {
        self.init()
        self.fileSystem = fileSystem
        self.segmentBytes = segmentBytes
        self.commitBufferBytes = commitBufferBytes
    }
}

extension Store {
    /// All keys and values, as text.
    nonisolated func contents() throws -> [String: String] {
        var contents: [String: String] = [:]
        for entry in try scan().entries() {
            contents[String(decoding: entry.key, as: UTF8.self)] = String(decoding: entry.value, as: UTF8.self)
        }
        return contents
    }
}

/// Calls `write` with 0, 1, 2 and so on until it throws, at most `limit` times, and returns the error.
func firstRefusal(limit: Int = .max, _ write: (Int) async throws -> Void) async -> StoreError? {
    for number in 0..<limit {
        do { try await write(number) } catch { return error as? StoreError }
    }
    return nil
}

/// Runs one task for each number, and waits for all of them.
func concurrently(_ numbers: Range<Int>, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in numbers { group.addTask { try await body(number) } }
        try await group.waitForAll()
    }
}

extension FileSystem {
    /// Changes a bit of a file.
    func flipBit(of path: String, at offset: UInt64) throws {
        let file = try openFile(path, for: .readWrite)
        var byte: [UInt8] = [0]
        _ = try byte.withUnsafeMutableBytes { try file.readFully(into: $0, at: offset) }
        byte[0] ^= 4
        try byte.withUnsafeBytes { try file.writeFully($0, at: offset) }
    }
}
