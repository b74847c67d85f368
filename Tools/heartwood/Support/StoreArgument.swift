internal import ArgumentParser
internal import Heartwood
internal import HeartwoodFileSystem

/// The first argument of every command: the path of the store.
struct StoreArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The directory of the store.", valueName: "store"),
        completion: .directory)
    var path: String

    func validate() throws {
        try PathArgument.validate(path, "the store's directory")
    }

    /// Whether the path exists and is no directory.
    private var isFile: Bool {
        let kind = try? POSIXFileSystem().kind(of: path)
        return kind != nil && kind != .directory
    }

    /// Reads one state of the store: what its files have. See ``withReadOnlyStore(level:mostValueBytes:_:)``.
    ///
    /// - Throws: What opening throws, and what `body` throws.
    func withReadView<R>(_ body: (ReadView) async throws -> R) async throws -> R {
        try await withReadOnlyStore { store in try await body(store.readView()) }
    }

    /// Reads the store's files without the lock, and writes nothing. Says so if a process has the store open.
    ///
    /// - Parameter mostValueBytes: The longest value that is held. ``ReadEntry`` reads longer ones, too.
    /// - Throws: What opening throws, and what `body` throws.
    func withReadOnlyStore<R>(
        level: ChangeLevel = .visible, mostValueBytes: Int = LongValue.heldBytes,
        _ body: (ReadOnlyStore) async throws -> R
    ) async throws -> R {
        var configuration = Store.Configuration()
        configuration.maximumValueBytes = mostValueBytes
        let store: ReadOnlyStore
        do {
            store = try await ReadOnlyStore.open(at: path, level: level, configuration: configuration)
        } catch {
            throw explained(error, creating: nil)
        }
        if let holder = StoreHolder.process(at: path) {
            StandardError.say(
                "process \(holder) has \(path) open: reading beside it, without what it has not written to the "
                    + "files yet")
        }
        return try await body(store)
    }

    /// Opens the store, and always closes it.
    ///
    /// By default it isn't compacted, and its log is kept as the store's program configured it: a command that reads a
    /// store must not change what the program has decided.
    ///
    /// - Parameters:
    ///   - creating: Whether to create the store if it doesn't exist; nil for a command that never does.
    ///   - configure: Changes the configuration.
    /// - Throws: What opening or closing throws, and what `body` throws.
    func withStore<R: Sendable>(
        creating: Bool? = nil, configure: (inout Store.Configuration) -> Void = { _ in },
        body: (Store) async throws -> R
    ) async throws -> R {
        var configuration = Store.Configuration()
        configuration.createIfMissing = creating ?? false
        configuration.compaction = .manual
        configuration.logRetention = .unchanged
        configure(&configuration)
        let tally = Tally<RecoveryProgress>()
        configuration.recoveryProgress = { tally.note($0) }
        // Only of an opening that takes long.
        let bar = ProgressBar { tally.seconds < 0.5 ? nil : tally.progress }
        defer { bar.end() }
        do {
            return try await Store.withStore(at: path, configuration: configuration) { store in
                bar.end()
                return try await body(store)
            }
        } catch let error as StoreError {
            throw explained(error, creating: creating)
        }
    }

    /// An error of an opening. If there is no store, it says how to make one.
    private func explained(_ error: StoreError, creating: Bool?) -> any Error {
        // The store's error says why it can't be created.
        guard error.code == .notFound, error.cause == nil, !isFile, creating != true else { return error }
        let advice = creating == nil ? "make one with 'heartwood load'" : "use --create to make a new store"
        return Failure(.noStore, "no such store: \(path): check the path, or \(advice)")
    }
}
