import Foundation
import HeartwoodTesting
import HeartwoodFuzzing

/// The inputs in the repository.
enum Corpus {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    /// The inputs of a target, sorted by name; none if there is no directory.
    static func inputs(_ kind: String, _ target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
        let directory = tests.appendingPathComponent("Fuzzing/\(kind)/\(target.rawValue)")
        guard FileManager.default.fileExists(atPath: directory.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted().map { name in
            (name, try [UInt8](Data(contentsOf: directory.appendingPathComponent(name))))
        }
    }

    /// The golden stores of a format version.
    static func goldenImages(version: Int) throws -> [DirectoryImage] {
        let directory = tests.appendingPathComponent("Golden/v\(version)")
        return try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
            .filter { !$0.contains(".") }
            .map { store in
                let path = directory.appendingPathComponent(store)
                let names = try FileManager.default.contentsOfDirectory(atPath: path.path).sorted()
                return DirectoryImage(
                    files: try names.map { ($0, try [UInt8](Data(contentsOf: path.appendingPathComponent($0)))) })
            }
    }
}
