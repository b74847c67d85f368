import Foundation

/// A path of a directory that doesn't exist yet.
struct TemporaryPath {
    let path = FileManager.default.temporaryDirectory.appending(path: "heartwood-\(UUID().uuidString)").path

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
