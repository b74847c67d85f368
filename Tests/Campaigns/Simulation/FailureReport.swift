internal import Foundation
internal import HeartwoodCampaignSupport
internal import HeartwoodTesting

/// Prints what was broken and the command that reproduces it, and keeps the disk.
enum FailureReport {
    static func print(_ failure: CrashExploration.Failure, standardLength: Int) throws {
        say("FAILED: \(failure)")
        let path = failure.path.map(\.description).joined(separator: ",")
        if !path.isEmpty { say("  after the crash \(path); the last calls before it:") }
        for call in failure.lastCalls { say("    \(call)") }
        let kept = try failure.expectation.map { try keep(failure.image, $0) }
        if let kept { say("  the disk after the crash is kept in \(kept)") }
        if failure.workload.isDeterministic {
            let length = failure.length == standardLength ? "" : " --length \(failure.length)"
            let state = path.isEmpty ? "" : " --state '\(path)'"
            say("  again: Tools/campaign crash --workload \(failure.workload) --seed \(failure.seed)\(length)\(state)")
        } else if let kept {
            say("  again: Tools/campaign crash --replay \(kept)")
        }
    }

    /// Writes the disk and the expected contents into a new directory.
    static func keep(_ image: DiskImage, _ expectation: some Encodable) throws -> String {
        let directory = try TemporaryDirectory.make("crash")
        try image.write(into: directory)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        try encoder.encode(expectation).write(to: URL(fileURLWithPath: directory + "/" + expectationName))
        return directory
    }

    private static let expectationName = "expectation.json"

    /// Reads what `keep` has written.
    static func read<Expected: Decodable>(
        _ type: Expected.Type, _ directory: String
    ) throws -> (DiskImage, Expected) {
        let url = URL(fileURLWithPath: directory + "/" + expectationName)
        let expectation = try JSONDecoder().decode(type, from: Data(contentsOf: url))
        var image = try DiskImage(readingFrom: directory)
        image[path: "/" + expectationName] = nil
        return (image, expectation)
    }
}
