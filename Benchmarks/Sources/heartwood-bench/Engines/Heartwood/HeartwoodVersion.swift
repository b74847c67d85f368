internal import Foundation

/// The version of Heartwood: the newest in the change log, with the commit if the sources are a Git checkout.
enum HeartwoodVersion {
    static let current: String = {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(6).dropFirst().joined(separator: "/")
        let changes = (try? String(contentsOfFile: "/\(root)/CHANGELOG.md", encoding: .utf8)) ?? ""
        let heading = changes.split(separator: "\n").first { $0.hasPrefix("## ") }
        let version = heading?.dropFirst(3).split(separator: " ").first.map(String.init) ?? "of unknown version"
        guard let commit = CommandOutput.firstLine("git", "-C", "/\(root)", "describe", "--always", "--dirty") else {
            return version
        }
        return "\(version) (\(commit))"
    }()
}
