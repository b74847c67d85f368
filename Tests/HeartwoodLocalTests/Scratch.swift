import Foundation
import HeartwoodConcurrency
import HeartwoodLocal
import HeartwoodRepository
import HeartwoodTesting
import Logging

/// A temporary directory of a test.
final class Scratch: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("local-\(UUID().uuidString)")

    /// Stores that are released close a little later, perhaps when their directory is gone.
    private static let isQuiet: Bool = {
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        return true
    }()

    init() throws {
        _ = Self.isQuiet
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    }

    func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path(name))), as: UTF8.self)
    }
}

/// What a logger was told.
final class LogLines: Sendable {
    private let lines = Locked<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(lines: LogLines) { self.lines = lines }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.lines.withLock { $0.append("\(event.level): \(event.message)") }
        }
    }
}

extension LocalRepository {
    /// A repository on a simulated disk, in the directory "/app".
    init(
        on disk: SimulatedDisk, version: Int = 1, _ migrations: [Migration] = [], logger: Logger = LogLines().logger
    ) throws(StoreError) {
        try self.init(
            opening: URL(fileURLWithPath: "/app"), "data.json", version: version, migrations, logger: logger,
            fileSystem: disk, importBatchBytes: 256)
    }
}
