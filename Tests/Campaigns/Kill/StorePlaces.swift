internal import Foundation
internal import HeartwoodCampaignSupport
internal import HeartwoodFileSystem

/// A store, and in another directory a decoy of the same name: where the store's relative path would lead after a
/// change of the working directory.
struct StorePlaces: Sendable {
    let store: String
    let decoy: String

    init(store: String, decoy: String) { (self.store, self.decoy) = (store, decoy) }

    init(in directory: String, _ name: String) {
        let directory = URL(fileURLWithPath: directory).path
        self.init(store: "\(directory)/\(name)", decoy: "\(directory)/elsewhere/\(name)")
    }

    var name: String { Self.split(store).name }
    var parent: String { Self.split(store).parent }
    var decoyParent: String { Self.split(decoy).parent }
    private var moved: String { store + ".moved" }

    private static func split(_ path: String) -> (parent: String, name: String) {
        let url = URL(fileURLWithPath: path)
        return (url.deletingLastPathComponent().path, url.lastPathComponent)
    }

    /// Changes the working directory of this process.
    static func enter(_ directory: String) throws {
        guard chdir(directory) == 0 else { throw Violation("can't change to \(directory): error \(errno)") }
    }

    /// Renames the store's directory, and gives its name to the decoy.
    func exchange() throws {
        try POSIXFileSystem().rename(store, to: moved)
        try POSIXFileSystem().rename(decoy, to: store)
    }

    /// Undoes `exchange`, of which any part may be done.
    ///
    /// - Returns: Whether there was something to undo.
    func putBack() throws -> Bool {
        let fileSystem = POSIXFileSystem()
        guard try fileSystem.kind(of: moved) != nil else { return false }
        if try fileSystem.kind(of: store) != nil { try fileSystem.rename(store, to: decoy) }
        try fileSystem.rename(moved, to: store)
        return true
    }

    func remove() {
        for path in [store, decoy, moved] { TemporaryDirectory.remove(path) }
        // Only if it is empty.
        try? POSIXFileSystem().remove(decoyParent)
    }
}
