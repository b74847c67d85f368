internal import HeartwoodConcurrency

/// One feed for all observations of a store object: it is read once, and each change is compared with what the
/// observations depend on. It runs as long as there is one.
final class ChangeHub: Sendable {
    let watchers: Watchers
    private let feed: Task<Void, Never>

    /// Begins to follow: every change after this call is compared.
    private init(_ store: any ReadableKeyValueStore, _ range: KeyRange) {
        let watchers = Watchers()
        self.watchers = watchers
        feed = Self.follow(store, range, watchers)
    }

    deinit { feed.cancel() }

    /// The hub of a store, for changes of a range; a new one if there is none that runs.
    static func of(_ store: any ReadableKeyValueStore, in range: KeyRange) -> ChangeHub {
        hubs.withLock { hubs in
            let name = Name(store: ObjectIdentifier(store), range: range)
            if let hub = hubs[name]?.hub, !hub.watchers.hasEnded { return hub }
            hubs = hubs.filter { $0.value.hub != nil }
            let hub = ChangeHub(store, range)
            hubs[name] = WeakHub(hub: hub)
            return hub
        }
    }

    /// A feed keeps its store alive, so the identity of a store isn't used again while its hub is.
    private struct Name: Hashable {
        let store: ObjectIdentifier
        let range: KeyRange
    }

    private struct WeakHub { weak var hub: ChangeHub? }

    private static let hubs = Locked<[Name: WeakHub]>([:])

    // MARK: - The feed

    private static func follow<Store: ReadableKeyValueStore>(
        _ store: Store, _ range: KeyRange, _ watchers: Watchers
    ) -> Task<Void, Never> {
        // Before the task runs: what changes from now on is in it.
        let changes = store.changes(after: nil, in: range, level: .visible)
        // Detached: it outlives the task that was the first to observe, with that task's transaction.
        return Task.detached { await read(changes, of: store, range, watchers) }
    }

    private static func read<Store: ReadableKeyValueStore>(
        _ first: Store.Changes, of store: Store, _ range: KeyRange, _ watchers: Watchers
    ) async {
        var changes = first
        var backoff = ConflictBackoff(isRemote: true)
        while true {
            do throws(StoreError) {
                for try await change in changes { watchers.compare(change) }
                return watchers.end(.closed)
            } catch {
                guard error.code == .positionUnavailable, !Task.isCancelled else {
                    return watchers.end(error.code == .closed ? .closed : .failed(error))
                }
            }
            // The feed has fallen too far behind, or the store was replaced: what was between isn't known any longer.
            await backoff.wait()
            changes = store.changes(after: nil, in: range, level: .visible)
            watchers.forceAll()
        }
    }
}

/// The observations of a hub.
final class Watchers: Sendable {
    private struct State {
        var byKey: [[UInt8]: [ObjectIdentifier: Watcher]] = [:]
        /// Those that depend on ranges.
        var ranged: [ObjectIdentifier: Watcher] = [:]
        var all: [ObjectIdentifier: Watcher] = [:]
        /// The newest change that was compared.
        var latest: ChangePosition?
        var ending: Watcher.Ending?
    }

    private let state = Locked(State())

    var latest: ChangePosition? { state.withLock { $0.latest } }

    var hasEnded: Bool { state.withLock { $0.ending != nil } }

    func add(_ watcher: Watcher) {
        let ending = state.withLock {
            $0.all[ObjectIdentifier(watcher)] = watcher
            Self.insert(watcher, watcher.watch, &$0)
            return $0.ending
        }
        if let ending { watcher.end(ending) }
    }

    func remove(_ watcher: Watcher) {
        state.withLock {
            $0.all[ObjectIdentifier(watcher)] = nil
            Self.remove(watcher, watcher.watch, &$0)
        }
    }

    func update(_ watcher: Watcher, _ watch: Watch) {
        let old = watcher.watch
        if old == watch { return }
        state.withLock {
            Self.remove(watcher, old, &$0)
            watcher.setWatch(watch)
            Self.insert(watcher, watch, &$0)
        }
    }

    private static func insert(_ watcher: Watcher, _ watch: Watch, _ state: inout State) {
        let name = ObjectIdentifier(watcher)
        for key in watch.keys { state.byKey[key, default: [:]][name] = watcher }
        if !watch.ranges.isEmpty { state.ranged[name] = watcher }
    }

    private static func remove(_ watcher: Watcher, _ watch: Watch, _ state: inout State) {
        let name = ObjectIdentifier(watcher)
        state.ranged[name] = nil
        for key in watch.keys {
            state.byKey[key]?[name] = nil
            if state.byKey[key]?.isEmpty == true { state.byKey[key] = nil }
        }
    }

    /// - Complexity: O(1) for observations of single keys; O(r) for r that depend on ranges and wait for a change.
    func compare(_ change: Change) {
        if case .lost = change.action { return forceAll() }
        // Within a batch this isn't `change.position`, which is before it: a view shows the whole batch.
        let position = ChangePosition(store: change.store, sequence: change.sequence)
        let touched = state.withLock { state -> [Watcher] in
            state.latest = position
            var touched: [Watcher] = []
            if let watchers = state.byKey[change.key] { touched.append(contentsOf: watchers.values) }
            if !state.ranged.isEmpty {
                var watched = WatchedChange(change)
                for watcher in state.ranged.values
                where watcher.isSensitive && watched.isInRanges(of: watcher.watch) {
                    touched.append(watcher)
                }
            }
            return touched
        }
        for watcher in touched { watcher.touch(position) }
    }

    func forceAll() {
        for watcher in state.withLock({ Array($0.all.values) }) { watcher.force() }
    }

    func end(_ ending: Watcher.Ending) {
        let all = state.withLock {
            $0.ending = ending
            return Array($0.all.values)
        }
        for watcher in all { watcher.end(ending) }
    }
}
