internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
public import HeartwoodFiles
internal import HeartwoodFormat
internal import Synchronization

/// A store that is only read, also while another process writes it: for tools, reports, and other programs beside a
/// service.
///
/// ```swift
/// let store = try await ReadOnlyStore.open(at: "app.store")
/// let value = try store.get("user:1")         // as of the last refresh
/// try await store.refresh()
/// ```
///
/// It takes no lock and writes nothing, so it also works on a disk that is mounted read-only. It shows one state, whole
/// batches up to a write, until ``refresh()`` moves it forward. A compaction of the other process
/// causes no error: files that it deletes stay readable until the next refresh.
///
/// It holds the directory open, as ``Store`` does: it shows the store that it has opened, whatever happens to the
/// working directory or to the directory's name.
///
/// It has an index of its own, so opening it takes as long, and as much memory, as opening the store. All members may
/// be used from any task or thread.
public final class ReadOnlyStore: Sendable {
    /// The path of the store's directory.
    public let path: String
    /// Which writes it shows: those that the files prove to be on the disk, or all that are in the files.
    public let level: ChangeLevel
    private let configuration: Store.Configuration
    /// Its lock is held during a refresh.
    let live: Locked<LiveImage>
    private let current: Locked<StoreImage>

    /// Opens the files of a store. Blocks until they are read. In asynchronous code use
    /// ``open(at:level:configuration:)``.
    ///
    /// ```swift
    /// let store = try ReadOnlyStore(openingAt: "app.store", level: .visible)
    /// ```
    ///
    /// - Parameters:
    ///   - path: The store's directory.
    ///   - level: `.durable` shows what no power loss can take back. The writing process states what is on the disk in
    ///     each commit, and when it is idle. So the newest writes may be shown up to a second later. `.visible` shows
    ///     everything that the writing process has written to the files.
    ///   - configuration: Only `fileSystem`, `clock`, `valueReading` and `maximumValueBytes` are used. The others
    ///     concern writing.
    /// - Throws: `.notFound`, `.permission`, `.corruption`, `.unsupportedFormat`, `.inputOutput`, `.tooManyFiles`,
    ///   `.invalidArgument`.
    /// - Complexity: O(keys + bytes of log).
    public init(
        openingAt path: String, level: ChangeLevel = .durable, configuration: Store.Configuration = .init()
    ) throws(StoreError) {
        var configuration = try configuration.validated()
        let path = try path.checkedStorePath
        configuration.fileSystem = try LiveImage.bound(configuration.fileSystem, to: path)
        (self.path, self.level, self.configuration) = (path, level, configuration)
        let live = try LiveImage.read(path, level, configuration)
        current = Locked(live.image)
        self.live = Locked(live)
    }

    /// Opens the files of a store without blocking a thread of the cooperative pool. Cancellation doesn't interrupt it.
    ///
    /// - Parameters: As ``init(openingAt:level:configuration:)``.
    /// - Throws: As ``init(openingAt:level:configuration:)``.
    public nonisolated(nonsending) static func open(
        at path: String, level: ChangeLevel = .durable, configuration: Store.Configuration = .init()
    ) async throws(StoreError) -> ReadOnlyStore {
        try await BlockingPool.run { () throws(StoreError) in
            try ReadOnlyStore(openingAt: path, level: level, configuration: configuration)
        }
    }

    /// What a refresh has done.
    public struct Refresh: Sendable, Hashable {
        /// The position after the last write that was shown before.
        public var from: ChangePosition
        /// The position after the last write that is shown now. Of another store if the directory has another one now,
        /// as after a repair.
        public var to: ChangePosition
        /// Whether the files were read again, because a compaction has replaced them.
        public var isReadAgain: Bool
    }

    /// Shows what was written since the last refresh. Reads and views that are in progress continue with the state that
    /// they have. Doesn't block a thread of the cooperative pool. Cancellation doesn't interrupt it.
    ///
    /// ```swift
    /// let refresh = try await store.refresh()
    /// print("\(refresh.to.sequence - refresh.from.sequence) writes")
    /// ```
    ///
    /// - Throws: `.corruption`, `.inputOutput`, `.unsupportedFormat`, `.tooManyFiles`, `.closed`; `.notFound` if the
    ///   directory was deleted, even if another one has its name now: open that one. After an error, the store shows
    ///   what it did before.
    /// - Complexity: O(bytes written since); O(keys + bytes of log) after a compaction.
    @discardableResult
    public nonisolated(nonsending) func refresh() async throws(StoreError) -> Refresh {
        try await BlockingPool.run { [self] () throws(StoreError) in try advance() }
    }

    /// As ``refresh()``, but blocks its thread.
    @available(*, noasync, message: "this form blocks its thread: in asynchronous code use 'await store.refresh'")
    @discardableResult
    public func refreshBlocking() throws(StoreError) -> Refresh { try advance() }

    private func advance() throws(StoreError) -> Refresh {
        try live.withLock { (live) throws(StoreError) in
            if live.image.isClosed { throw .closed }
            let before = ChangePosition(store: live.image.storeID, sequence: live.sequence)
            let isCurrent = try live.advance()
            if !isCurrent {
                let time = live.image.now.milliseconds
                live = try LiveImage.read(path, level, configuration)
                live.image.noteTime(time)
                current.withLock { [image = live.image] in $0 = image }
            }
            return Refresh(
                from: before, to: ChangePosition(store: live.image.storeID, sequence: live.sequence),
                isReadAgain: !isCurrent)
        }
    }

    /// Closes the files. Later reads throw `.closed`, also those of views of the state that it shows: finish with them
    /// before. Feeds that have begun continue. Waits for a refresh that is in progress.
    ///
    /// Without this call, the files are closed when the store and its views are released.
    public func close() {
        live.withLock { $0.close() }
    }

    var image: StoreImage { current.withLock { $0 } }
}
