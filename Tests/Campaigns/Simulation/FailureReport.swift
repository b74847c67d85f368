internal import Foundation
internal import HeartwoodCampaignSupport
internal import HeartwoodTesting

/// Says what was broken, keeps the disk, and gives the one command that has it again.
enum FailureReport {
    static func print(_ failure: CrashExploration.Failure, standardLength: Int) throws {
        say("FAILED: \(failure)")
        let path = failure.path.map(\.description).joined(separator: ",")
        if !path.isEmpty { say("  after the crash \(path), whose last calls before it were") }
        for call in failure.lastCalls { say("    \(call)") }
        let kept = try failure.expectation.map { try keep(failure.image, $0) }
        if let kept { say("  the disk that it left is kept in \(kept)") }
        if failure.workload.isDeterministic {
            let length = failure.length == standardLength ? "" : " --length \(failure.length)"
            let state = path.isEmpty ? "" : " --state '\(path)'"
            say("  again: Tools/campaign crash --workload \(failure.workload) --seed \(failure.seed)\(length)\(state)")
        } else if let kept {
            say("  again: Tools/campaign crash --replay \(kept)")
        }
    }

    /// Writes the disk into a directory, and what it was to hold beside it.
    static func keep(_ image: DiskImage, _ expectation: Expectation) throws -> String {
        let directory = try TemporaryDirectory.make("crash")
        try image.write(into: directory)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        try encoder.encode(expectation).write(to: URL(fileURLWithPath: directory + "/" + expectationName))
        return directory
    }

    private static let expectationName = "expectation.json"

    /// What `keep` has written.
    static func read(_ directory: String) throws -> (DiskImage, Expectation) {
        let url = URL(fileURLWithPath: directory + "/" + expectationName)
        let expectation = try JSONDecoder().decode(Expectation.self, from: Data(contentsOf: url))
        var image = try DiskImage(readingFrom: directory)
        image[path: "/" + expectationName] = nil
        return (image, expectation)
    }
}
