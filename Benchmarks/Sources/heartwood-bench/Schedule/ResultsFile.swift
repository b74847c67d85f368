internal import Foundation

/// The JSON of results on the disk: written anew as a whole after each run, and read where a run is resumed.
struct ResultsFile: Sendable {
    let path: String

    /// What is there; nil where there is no file.
    func read() throws -> Results? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            return try JSONDecoder().decode(Results.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw WrongFile(path: path, reason: "isn't results of this program: \(error)")
        }
    }

    func write(_ results: Results) throws {
        try Self.encode(results).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    static func encode(_ results: Results) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(results) + Data("\n".utf8)
    }

    /// The results that a run begins with: those of an earlier one that asked for the same, or none.
    ///
    /// - Throws: `WrongFile` where there are others.
    func resumed(_ fresh: Results) throws -> Results {
        guard let earlier = try read() else { return fresh }
        return try Self.resume(earlier, for: fresh, path: path)
    }

    static func resume(_ earlier: Results, for fresh: Results, path: String) throws -> Results {
        guard earlier.format == fresh.format, earlier.parameters == fresh.parameters else {
            throw WrongFile(
                path: path,
                reason: "has results of another plan or of other parameters: name another file, or delete it")
        }
        guard earlier.heartwood == fresh.heartwood, earlier.machine.processor == fresh.machine.processor else {
            throw WrongFile(
                path: path,
                reason: "has results of another version or of another machine: name another file, or delete it")
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
        // What failed is tried again.
        resumed.cells.removeAll { $0.failure != nil && $0.runs.isEmpty }
        for index in resumed.cells.indices { resumed.cells[index].failure = nil }
        return resumed
    }
}

/// A file that can't be used for this.
struct WrongFile: Error, CustomStringConvertible {
    var path: String
    var reason: String
    var description: String { "\(path) \(reason)" }
}
