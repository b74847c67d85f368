internal import Foundation

/// The JSON file of results: rewritten after each run, and read when a run is resumed.
struct ResultsFile: Sendable {
    let path: String

    /// The results in the file; nil if there is no file.
    ///
    /// - Throws: `WrongFile` if it isn't a file of results.
    func read() throws -> Results? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            return try JSONDecoder().decode(Results.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw WrongFile(path: path, reason: "has no results of this program: \(error)")
        }
    }

    /// The results in the file, which must exist.
    func readExisting() throws -> Results {
        guard let results = try read() else { throw WrongFile(path: path, reason: "doesn't exist") }
        return results
    }

    func write(_ results: Results) throws {
        try Self.encode(results).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// One cell a line.
    static func encode(_ results: Results) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = String(decoding: try encoder.encode(results), as: UTF8.self)
        // The keys are sorted, so each cell begins with its engine. Inside a string the quotes would be escaped.
        return Data((json.replacing("{\"engine\":", with: "\n{\"engine\":") + "\n").utf8)
    }

    /// The results that a run starts with: those of an earlier run with the same parameters, or `fresh`.
    ///
    /// - Throws: `WrongFile` if the file has results of another kind.
    func resumed(_ fresh: Results) throws -> Results {
        guard let earlier = try read() else { return fresh }
        return try Self.resume(earlier, for: fresh, path: path)
    }

    static func resume(_ earlier: Results, for fresh: Results, path: String) throws -> Results {
        guard earlier.format == fresh.format, earlier.parameters == fresh.parameters else {
            throw WrongFile(
                path: path,
                reason: "has results of another plan or other parameters: use another file, or delete this one")
        }
        guard earlier.heartwood == fresh.heartwood, earlier.machine.processor == fresh.machine.processor else {
            throw WrongFile(
                path: path,
                reason: "has results of another version or another machine: use another file, or delete this one")
        }
        var resumed = earlier
        resumed.finished = nil
        resumed.isInterrupted = false
        resumed.engines = fresh.engines
        resumed.rows =
            fresh.rows
            + earlier.rows.filter { row in
                !fresh.rows.contains { $0.id == row.id } && earlier.cells.contains { $0.row == row.id }
            }
        // Failed cells are tried again.
        resumed.cells.removeAll { $0.failure != nil && $0.runs.isEmpty }
        for index in resumed.cells.indices { resumed.cells[index].failure = nil }
        return resumed
    }
}

/// A file that can't be used.
struct WrongFile: Error, CustomStringConvertible {
    var path: String
    var reason: String
    var description: String { "\(path) \(reason)" }
}
