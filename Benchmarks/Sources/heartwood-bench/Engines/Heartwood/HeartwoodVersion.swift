internal import Foundation

/// Which Heartwood this is: the version at the head of the change log, and the commit where the sources are a checkout.
enum HeartwoodVersion {
    static let current: String = {
        // From this file up to the repository's root.
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
