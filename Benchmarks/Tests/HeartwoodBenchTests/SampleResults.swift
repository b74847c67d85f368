internal import Foundation

@testable import heartwood_bench

/// The published results with an engine missing, and with failed cells. They look like results, and say nothing about
/// any engine.
enum SampleResults {
    /// The samples with their names.
    static let all: [(name: String, results: Results)] = [
        ("whole", whole()), ("interrupted", interrupted()), ("hostile", hostile()),
        ("alone", whole(peers: false, runs: 1)), ("empty", empty()),
    ]

    static let directory = URL(
        fileURLWithPath: "/"
            + URL(fileURLWithPath: #filePath).pathComponents.dropLast(3).dropFirst().joined(separator: "/")
            + "/Results")
    static let published = try? ResultsFile(path: directory.path + "/full.json").readExisting()

    /// A whole run of the program.
    static func whole(peers: Bool = true, runs: Int = 3) -> Results {
        guard var results = published else { preconditionFailure("Results/full.json can't be read") }
        for index in results.engines.indices where results.engines[index].isPeer {
            let isMissing = !peers || results.engines[index].id == "grdb"
            results.engines[index].missing = isMissing ? "It is not installed: apt-get install lib" : nil
        }
        let missing = results.engines.filter { $0.missing != nil }.map(\.id)
        results.cells.removeAll { missing.contains($0.engine) }
        for index in results.cells.indices {
            results.cells[index].runs = Array(results.cells[index].runs.prefix(runs))
            switch (results.cells[index].row, results.cells[index].engine) {
            case ("readseq", "sqlite"):
                results.cells[index].failure = "the sum of all values was not that of what was put"
                results.cells[index].runs = []
            case ("fillsync-64", "lmdb"): results.cells[index].failure = "run 3 of 3 was ended after 600 s"
            default: break
            }
        }
        return results
    }

    /// What the first seconds have left behind: rows without cells.
    static func interrupted() -> Results {
        var results = whole()
        results.isInterrupted = true
        results.cells = Array(results.cells.prefix(60))
        for index in results.cells.indices.suffix(12) { results.cells[index].runs.removeLast() }
        return results
    }

    /// Words in every field that would be markup, commands of a terminal, or very long.
    static func hostile() -> Results {
        var results = whole(runs: 2)
        let evil = #"</script><b id="injected">'&amp;| `x` <!-- /figures --> "# + "\u{1B}[31m\u{202E}\u{0}\r\n]]>"
        results.command = evil + String(repeating: "--very-long-option-without-a-space", count: 20)
        results.machine.processor = evil
        results.heartwood = evil
        results.plan = evil
        for index in results.engines.indices {
            results.engines[index].title += " " + evil
            results.engines[index].settings.append(evil)
            results.engines[index].version = evil
            if results.engines[index].missing != nil { results.engines[index].missing = evil }
        }
        for index in results.rows.indices { results.rows[index].title += " " + evil }
        results.rows[0].workload = evil
        results.rows[1].workload = evil
        for index in results.cells.indices where results.cells[index].failure != nil {
            results.cells[index].failure = evil
        }
        var strange = results.rows[3]
        (strange.id, strange.group) = (evil, evil)
        results.rows.append(strange)
        results.engines.append(
            EngineInfo(id: evil, title: String(repeating: "W", count: 200), family: evil, version: "1", settings: []))
        for engine in [evil, "heartwood"] {
            let run = CellResult.Run(
                operations: Int.max, seconds: 1e-300, bytes: .max, figures: [evil: -1e300])
            results.cells.append(CellResult(row: evil, engine: engine, runs: [run]))
        }
        return results
    }

    /// Nothing but a header.
    static func empty() -> Results {
        var results = whole()
        results.cells = []
        results.isInterrupted = true
        results.finished = nil
        return results
    }
}
