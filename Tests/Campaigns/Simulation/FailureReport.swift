internal import Foundation
internal import HeartwoodCampaignSupport
internal import HeartwoodTesting

/// Says how to repeat what was broken on a simulated disk, and keeps the disk.
enum FailureReport {
    /// What else there is to say of a failure.
    static func lines(_ error: any Error, _ campaign: String) throws -> [String] {
        guard let failure = error as? ExplorationFailure else { return [] }
        let path = failure.path.map(\.description).joined(separator: ",")
        var lines = failure.lines
        if !path.isEmpty { lines.insert("after the crash \(path); the last calls before it:", at: 0) }
        if let left = failure.left {
            let kept = try keep(left.image, left.evidence)
            let judge = campaign == "faults" ? "crash" : campaign
            lines.append("the disk after the crash is kept: Tools/campaign \(judge) --replay \(kept)")
        }
        let timing = failure.isExact ? "" : ", with other timing"
        return lines + ["again\(timing): Tools/campaign \(campaign) \(failure.repetition)"]
    }

    /// Writes the disk and the expected contents into a new directory.
    private static func keep(_ image: DiskImage, _ evidence: any Encodable) throws -> String {
        let directory = try TemporaryDirectory.make("crash")
        try image.write(into: directory)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        try encoder.encode(evidence).write(to: URL(fileURLWithPath: directory + "/" + evidenceName))
        return directory
    }

    private static let evidenceName = "expectation.json"

    /// Judges a disk that a failure has kept.
    static func replay<Subject: CrashSubject>(_ subject: Subject, _ directory: String) async throws {
        let url = URL(fileURLWithPath: directory + "/" + evidenceName)
        let evidence = try JSONDecoder().decode(Subject.Evidence.self, from: Data(contentsOf: url))
        var image = try DiskImage(readingFrom: directory)
        image[path: "/" + evidenceName] = nil
        try await CampaignProgress().judge {
            _ = try await subject.check(image, evidence, depth: 1)
        } failed: { _ in
            []
        }
        say("no promise is broken after this crash")
    }
}
