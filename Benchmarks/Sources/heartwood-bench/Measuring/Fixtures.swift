internal import Synchronization

/// Filled stores that workloads start from, each made once, before a clock starts, and kept until the end.
///
/// Workloads that only read open them in place; those that change something, or ask how a store that is left like this
/// is opened, take a copy.
final class Fixtures: Sendable {
    private let directory: WorkDirectory
    private let made = Mutex<[String: String]>([:])

    init(in directory: WorkDirectory) { self.directory = directory }

    /// The directory of that name, which `make` is called for when it is asked for the first time.
    func path(_ name: String, make: (String) async throws -> Void) async throws -> String {
        if let path = made.withLock({ $0[name] }) { return path }
        let path = directory.freshPath(name)
        try await make(path)
        // What was written to make it isn't to be written while a clock runs.
        directory.settle()
        made.withLock { $0[name] = path }
        return path
    }

    /// A fresh copy of it, for the caller to change and to delete.
    func copy(_ name: String, make: (String) async throws -> Void) async throws -> String {
        let original = try await path(name, make: make)
        let copy = directory.freshPath("\(name)-copy")
        try directory.copy(original, to: copy)
        directory.settle()
        return copy
    }
}
