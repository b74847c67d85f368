import Foundation

/// A directory for a test, removed with its last reference.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        let base = FileManager.default.temporaryDirectory.appendingPathComponent("heartwood-tests")
        let url = base.appendingPathComponent(UUID().uuidString)
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func path(_ name: String) -> String { path + "/" + name }

    /// The names in a directory, sorted.
    static func names(in directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    /// The paths of a store's log segments, sorted.
    static func segments(of store: String) -> [String] {
        names(in: store).filter { $0.hasSuffix(".log") }.map { store + "/" + $0 }
    }

    static func bytes(of path: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// The open descriptors of this process for a path in this directory, and for what is below it.
    func descriptors(of name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").filter { descriptor in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/dev/fd/" + descriptor)
            return target?.hasPrefix(path(name)) == true
        }
    }

    /// Copies a store into this directory.
    func copy(_ store: String, to name: String) throws -> String {
        let target = path(name)
        try? FileManager.default.removeItem(atPath: target)
        try FileManager.default.copyItem(atPath: store, toPath: target)
        return target
    }
}
