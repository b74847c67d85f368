internal import Foundation
internal import Heartwood
internal import Testing

/// A directory for one test, removed after it. Names of stores and files are relative to it.
final class Sandbox: Sendable {
    let directory: URL
    private let scratch: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("heartwood-tool-\(UUID().uuidString)")
        scratch = directory.appendingPathComponent("scratch")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// Runs `heartwood`.
    func heartwood(_ arguments: String..., input: String = "") async throws -> Tool.Outcome {
        try await Tool.run(arguments, input: Array(input.utf8), in: self)
    }

    /// Runs `heartwood` with any bytes as its input.
    func heartwood(_ arguments: String..., bytes: [UInt8]) async throws -> Tool.Outcome {
        try await Tool.run(arguments, input: bytes, in: self)
    }

    /// The JSON object that `heartwood` prints if it succeeds.
    func json(_ arguments: String...) async throws -> [String: Any] {
        let outcome = try await Tool.run(arguments + ["--json"], in: self)
        #expect(outcome.code == 0, "\(outcome)")
        return try #require(outcome.objects().first, "\(outcome)")
    }

    /// Loads keys with their values.
    func load(_ pairs: [(key: String, value: String)], into store: String = "s", batch: Int = 1) async throws {
        let lines = try pairs.map { pair in
            let object = ["key": pair.key, "value": pair.value]
            return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
        }
        let outcome = try await heartwood(
            "load", store, "-", "--format", "pairs", "--batch", "\(batch)", input: lines.joined(separator: "\n"))
        #expect(outcome.code == 0, "\(outcome.error)")
    }

    /// A process that has the store `s` open. It writes each line, and prints the key, which is its `id`.
    func holder(_ options: String...) throws -> RunningTool {
        try RunningTool(["load", "s", "-", "--format", "jsonl", "--key", "id", "--acknowledge"] + options, in: self)
    }

    /// The same, after it has written a key.
    nonisolated(nonsending) func holder(of key: String) async throws -> RunningTool {
        let holder = try holder()
        try holder.write("{\"id\":\"\(key)\"}\n")
        #expect(await holder.nextLine() == key)
        return holder
    }

    /// Runs a line of shell, in which `$heartwood` is the tool.
    func shell(_ script: String) async throws -> Tool.Outcome {
        try await Tool.shell(script, in: self)
    }

    /// Opens a store in this process.
    func withStore(
        _ name: String, _ configuration: Store.Configuration = Store.Configuration(),
        _ body: (Store) async throws -> Void
    ) async throws {
        try await Store.withStore(at: path(name), configuration: configuration, body)
    }

    /// The whole path of a file.
    func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

    /// The names in a directory that end so, in order.
    func names(in directory: String, _ suffix: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(directory)).filter { $0.hasSuffix(suffix) }.sorted()
    }

    func read(_ name: String) throws -> Data { try Data(contentsOf: directory.appendingPathComponent(name)) }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: directory.appendingPathComponent(name))
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: path(name))
    }

    /// A new file with these bytes.
    func scratchFile(_ bytes: [UInt8]) throws -> URL {
        let url = scratch.appendingPathComponent(UUID().uuidString)
        try Data(bytes).write(to: url)
        return url
    }

    /// Compresses with the system's gzip.
    func gzip(_ text: String) async throws -> [UInt8] {
        try write(text, to: "plain")
        return try await shell("gzip -c plain").bytes
    }

    /// Changes one bit where `text` first occurs in a log of the store.
    func damage(_ text: String, in store: String) throws {
        let folder = directory.appendingPathComponent(store)
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where file.pathExtension == "log" {
            var data = try Data(contentsOf: file)
            guard let range = data.range(of: Data(text.utf8)) else { continue }
            data[range.lowerBound] ^= 1
            let handle = try FileHandle(forWritingTo: file)
            try handle.write(contentsOf: data)
            try handle.close()
            return
        }
        throw CocoaError(.fileNoSuchFile)
    }
}
