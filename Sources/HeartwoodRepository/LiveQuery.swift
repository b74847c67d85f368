public import Observation

/// The results of a query for a user interface: they stay current by themselves.
///
/// ```swift
/// let largest = LiveQuery(Query(sort: [.descending(\.population)], limit: 10), in: cities)
/// // in a view, or wherever `Observable` is observed:
/// for city in largest.items { show(city.name) }
/// ```
///
/// It begins to observe when it is made, and ends when it is released. All its properties change together, on the main
/// actor, and only if the results differ: a thousand writes between two updates are one update.
///
/// After an error the last results stay, ``error`` says what is wrong, and it tries again: after a second, then after
/// twice as long, up to a minute. When the store is closed, the error is `.closed`, and it has ended.
@MainActor @Observable
public final class LiveQuery<Model: Codable & Identifiable & Sendable>
where Model.ID: Codable & SendableMetatype & Sendable {
    /// The results; empty until the first ones are read.
    public private(set) var items: [Model] = []
    /// Whether the results of the present query haven't been read yet.
    public private(set) var isLoading = true
    /// Why the results can't be read now; nil if they can.
    public private(set) var error: StoreError?
    /// What the last update of ``items`` has changed.
    public private(set) var difference = LiveDifference<Model.ID>()

    /// The query. If it is set, that one is observed; the old results stay until the new ones are read.
    public var query: Query<Model> {
        didSet { start() }
    }

    /// Nil for one that only has an error.
    @ObservationIgnored private let observe: (@Sendable (Query<Model>) -> LiveValues<[Model]>)?
    @ObservationIgnored private var task: Task<Void, Never>?
    /// The revision of each item.
    @ObservationIgnored private var revisions: [Model.ID: SequenceNumber] = [:]

    /// Begins to observe a query.
    ///
    /// - Parameters:
    ///   - query: What is observed; all records if it is left out.
    ///   - repository: Where.
    ///   - onUndecodable: Called with the error of a record that doesn't decode, which is then left out; without it
    ///     that error is ``error``.
    public init(
        _ query: Query<Model> = Query(), in repository: some ReadableRepository<Model>,
        onUndecodable: (@Sendable (StoreError) -> Void)? = nil
    ) {
        self.query = query
        observe = { repository.observe($0, onUndecodable: onUndecodable) }
        start()
    }

    #if canImport(SwiftUI)
    /// One that only has an error.
    init(_ query: Query<Model>, failing error: StoreError) {
        self.query = query
        observe = nil
        fail(error)
    }
    #endif

    isolated deinit { task?.cancel() }

    private func start() {
        guard let source = observe?(query).source else { return }
        isLoading = true
        // Detached: reading and decoding stay off the main actor.
        task?.cancel()
        task = Task.detached { [weak self] in
            var run = ObservationRun(source)
            var pause = Duration.seconds(1)
            while !Task.isCancelled {
                do throws(StoreError) {
                    guard let state = try await run.next() else { throw .closed }
                    await self?.show(state)
                    pause = .seconds(1)
                } catch {
                    if Task.isCancelled { return }
                    await self?.fail(error)
                    if error.code == .closed { return }
                    try? await Task.sleep(for: pause)
                    pause = min(pause * 2, .seconds(60))
                }
            }
        }
    }

    private func show(_ state: ObservationSource<[Model]>.State) {
        // Of the query before, if it was replaced meanwhile.
        if Task.isCancelled { return }
        var revisions: [Model.ID: SequenceNumber] = [:]
        for (model, record) in zip(state.value, state.version.records) { revisions[model.id] = record.sequence }
        difference = LiveDifference(
            order: state.value.map(\.id).difference(from: items.map(\.id)),
            changed: Set(revisions.filter { id, revision in self.revisions[id].map { $0 != revision } ?? false }.keys))
        (items, self.revisions, isLoading, error) = (state.value, revisions, false, nil)
    }

    private func fail(_ error: StoreError) {
        if Task.isCancelled { return }
        self.error = error
        isLoading = false
    }
}

/// What an update of a ``LiveQuery`` has changed.
public struct LiveDifference<ID: Hashable & Sendable>: Sendable {
    /// The ids that came, went and moved, with their places: from the results before to those now.
    public var order: CollectionDifference<ID>
    /// The ids of results that were there before, and have another value now.
    public var changed: Set<ID>

    init() { self.init(order: [ID]().difference(from: []), changed: []) }

    init(order: CollectionDifference<ID>, changed: Set<ID>) { (self.order, self.changed) = (order, changed) }

    /// The ids that are new.
    public var inserted: Set<ID> { ids(order.insertions).subtracting(ids(order.removals)) }
    /// The ids that are gone.
    public var removed: Set<ID> { ids(order.removals).subtracting(ids(order.insertions)) }

    private func ids(_ changes: [CollectionDifference<ID>.Change]) -> Set<ID> {
        Set(
            changes.map {
                switch $0 {
                case .insert(_, let id, _), .remove(_, let id, _): id
                }
            })
    }
}
