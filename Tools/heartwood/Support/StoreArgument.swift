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
        if path.isEmpty { throw ValidationError("the store's directory has no name") }
        try PathArgument.validate(path)
    }

    /// Whether the path exists and is no directory.
    private var isFile: Bool {
        let kind = try? POSIXFileSystem().kind(of: path)
        return kind != nil && kind != .directory
    }

    /// Opens the store to read one state of it, and always closes it. Commands that only read use nothing else of the
    /// store, so that the view may come from elsewhere.
    ///
    /// - Throws: What opening or closing throws, and what `body` throws.
    func withReadView<R: Sendable>(_ body: (ReadView) throws -> R) async throws -> R {
        try await withStore { store in try body(store.readView()) }
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
        let notice = OpeningNotice()
        if let notice { configuration.recoveryProgress = { notice.show($0) } }
        defer { notice?.end() }
        do {
            return try await Store.withStore(at: path, configuration: configuration) { store in
                notice?.end()
                return try await body(store)
            }
        } catch let error as StoreError where error.code == .notFound && error.cause == nil && !isFile {
            // The store's error says why it can't be created.
            if creating == true { throw error }
            let advice = creating == nil ? "make one with 'heartwood load'" : "use --create to make a new store"
            throw Failure(.noStore, "no such store: \(path): check the path, or \(advice)")
        }
    }
}
