import Foundation
import Testing

@testable import heartwood_bench

struct ResultsFileTests {
    private static func results(_ parameters: Parameters = Parameters(.quick)) -> Results {
        Results(
            plan: parameters.plan.rawValue, command: "", parameters: parameters, heartwood: "1",
            machine: MachineInfo(
                processor: "p", cores: 2, memoryBytes: 1, system: "s", fileSystem: "ext4", swift: "6"),
            started: 0, seed: 42, engines: [], rows: Catalogue(parameters).rows.map(\.info))
    }

    @Test func resultsOfTheSameParametersAreResumed() throws {
        var earlier = Self.results()
        earlier.isInterrupted = true
        earlier.finished = 1
        let run = CellResult.Run(operations: 1, seconds: 1, bytes: 1)
        earlier.cells = [
            CellResult(row: "readrandom", engine: "heartwood", runs: [run]),
            CellResult(row: "readrandom", engine: "lmdb", failure: "it crashed"),
        ]
        let resumed = try ResultsFile.resume(earlier, for: Self.results(), path: "")
        #expect(!resumed.isInterrupted && resumed.finished == nil)
        // Failed cells are tried again.
        #expect(resumed.cells.map(\.engine) == ["heartwood"])
        #expect(Set(resumed.rows.map(\.id)).count == resumed.rows.count)
    }

    @Test func resultsOfOtherParametersOrAnotherVersionAreNotResumed() {
        var other = Parameters(.quick)
        other.keys += 1
        var newer = Self.results()
        newer.heartwood = "2"
        for others in [Self.results(other), newer] {
            #expect(throws: WrongFile.self) { try ResultsFile.resume(others, for: Self.results(), path: "") }
        }
    }

    @Test func aFileIsReadAsItWasWritten() throws {
        let path = NSTemporaryDirectory() + "results-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = ResultsFile(path: path)
        #expect(try file.read() == nil)
        var results = Self.results()
        results.cells = [CellResult(row: "a", engine: "b", failure: "c")]
        try file.write(results)
        #expect(try ResultsFile.encode(file.read()!) == ResultsFile.encode(results))
        try Data("{".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: WrongFile.self) { try file.read() }
    }
}
