internal import Foundation
internal import HeartwoodFileSystem
internal import HeartwoodRepository

/// Where a local repository is: the names of its store and of the JSON file whose place it takes.
struct LocalPlace: Sendable, Hashable {
    /// The directory of both, absolute and without symbolic links as far as it exists.
    let directory: String
    let filename: String
    /// Whether the directory was given as the URL of a file.
    private let isFile: Bool
    /// Nil for a file system that has no identity, such as that of the operating system.
    private let fileSystem: ObjectIdentifier?

    /// The JSON file of the pattern.
    var json: String { path(filename) }
    /// The directory of the store.
    var store: String { path(filename + ".heartwood") }

    private func path(_ name: String) -> String { directory == "/" ? "/" + name : directory + "/" + name }

    /// - Parameters:
    ///   - directory: The URL of a directory.
    ///   - filename: The name of the JSON file; may begin with names of directories, as in "lists/items.json".
    init(_ directory: URL, _ filename: String, _ fileSystem: any FileSystem) {
        isFile = directory.isFileURL
        self.fileSystem = type(of: fileSystem) is AnyClass ? ObjectIdentifier(fileSystem as AnyObject) : nil
        let base = directory.absoluteURL.standardizedFileURL.path
        let parts = filename.split(separator: "/")
        let parents = parts.dropLast().map(String.init)
        let path = ([base == "/" ? "" : base] + parents).joined(separator: "/")
        self.directory = Self.resolved(path.isEmpty ? "/" : path, fileSystem)
        self.filename = parts.last.map(String.init) ?? ""
    }

    /// Why no file can be there; nil if one can.
    var refusal: StoreError? {
        if !isFile {
            return StoreError(
                .invalidArgument, "the directory of a local repository is a URL of another kind: give a file URL")
        }
        if filename.isEmpty || filename == "." || filename == ".." {
            return StoreError(.invalidArgument, "a local repository needs the name of a file, such as data.json")
        }
        return nil
    }

    /// Whether there is a store.
    func hasStore(_ fileSystem: any FileSystem) throws(StoreError) -> Bool {
        do throws(FileSystemError) {
            return try fileSystem.kind(of: store) != nil
        } catch {
            throw StoreError(
                error.isPermission ? .permission : .inputOutput,
                "the store of a local repository can't be examined: give this user access to it, or look at the disk",
                file: store, cause: error)
        }
    }

    /// Renames the imported file, never to a name that exists.
    ///
    /// - Returns: What is wrong if that fails. The next opening tries again.
    func retireImported(_ fileSystem: any FileSystem) -> StoreError? {
        do throws(FileSystemError) {
            var (target, number) = (json + ".imported", 1)
            while try fileSystem.kind(of: target) != nil {
                number += 1
                target = "\(json).imported-\(number)"
            }
            try fileSystem.rename(json, to: target)
        } catch {
            return StoreError(
                .fileIgnored,
                "the file was imported, and can't be renamed: give this user write access to its directory; the "
                    + "next opening renames it",
                file: json, cause: error)
        }
        // If a crash takes the renaming back, the next opening renames it again.
        try? fileSystem.syncDirectory(directory)
        return nil
    }

    /// The path without symbolic links: they are resolved in the part that exists. Only the real file system has them.
    private static func resolved(_ path: String, _ fileSystem: any FileSystem) -> String {
        guard fileSystem is POSIXFileSystem else { return path }
        var existing = URL(fileURLWithPath: path)
        var missing: [String] = []
        while existing.path != "/", !FileManager.default.fileExists(atPath: existing.path) {
            missing.append(existing.lastPathComponent)
            existing.deleteLastPathComponent()
        }
        return missing.reversed().reduce(existing.resolvingSymlinksInPath()) { $0.appendingPathComponent($1) }.path
    }
}
