// The package trait "Etcd" enables this code. Without it the module is empty, and gRPC is not fetched.
#if Etcd
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
public import KeyValueStore
import Synchronization

/// An etcd cluster as a store: for programs on several machines that share one state.
///
/// ```swift
/// let configuration = EtcdStore.Configuration(endpoints: [.init(host: "etcd-1"), .init(host: "etcd-2")])
/// let store = try await EtcdStore.open(configuration)
/// let users = try await store.repository(definition)
/// ```
///
/// Everything above ``KeyValueStore`` works as on one machine, with other costs:
///
/// - A call takes a round trip to a server, and a commit also one between the servers.
/// - Sequence numbers are revisions of the cluster. They grow, but aren't dense.
/// - A batch has at most what ``limits`` says, by default `KeyValueLimits.etcd`. What the store adds counts, too: a
///   condition about a range is two comparisons, and a removal has its key three times. Larger batches are refused with
///   `.tooLarge` before anything is sent. Batches over etcd's `--max-txn-ops` are sent as nested transactions, which
///   etcd carries out as one.
/// - Expiries are rounded up to seconds. What has expired, each program decides by its own clock; a feed delivers
///   `.remove` once etcd has removed the key, some seconds later.
/// - A view ends when etcd compacts its history, or after ``Configuration/sweepInterval``.
///
/// **Outcomes.** Each commit is sent under a condition that only one sending can fulfil. After a time-out it is sent
/// again, and the answer says what happened, also to the first sending. `.outcomeUnknown` is thrown only if no server
/// answers until the deadline.
///
/// All calls run on the caller's actor and block no thread of the cooperative pool. A cancelled read throws
/// `.cancelled`. A commit that was sent isn't interrupted. Calls throw `.inputOutput` if no server answers until the
/// deadline, `.permission` if the user may not do that, and what ``KeyValueStore`` says.
public final class EtcdStore: KeyValueStore {
    /// The configuration that it was opened with.
    public let configuration: Configuration
    /// The identity of the store in this cluster. A restored cluster has another one.
    public let id: StoreID
    /// What a batch may have.
    public let limits: KeyValueLimits
    let cluster: Cluster
    let layout: Layout
    let slots: SlotPool
    let leases: LeaseTable
    /// Whether the cluster has, or had, keys with an expiry. Never false again.
    let hasExpiries = Atomic(false)
    /// The newest write that this object has made or read.
    let newestWrite = Atomic<Int64>(0)
    private let sweeper: Task<Void, Never>

    private init(_ cluster: Cluster, _ layout: Layout, _ id: StoreID) {
        (self.cluster, self.layout, self.id) = (cluster, layout, id)
        (configuration, slots) = (cluster.configuration, SlotPool(layout))
        leases = LeaseTable(margin: configuration.expiryMargin)
        var limits = KeyValueLimits.etcd
        (limits.operations, limits.conditions) = TransactionShape.limits(configuration.serverOperations)
        limits.batchBytes = max(1_024, configuration.serverRequestBytes - 72_864)
        limits.valueBytes = limits.batchBytes
        limits.viewLifetime = min(.seconds(60), configuration.sweepInterval)
        self.limits = limits
        let sweep = FenceSweep(cluster, layout)
        sweeper = Task { await sweep.run() }
    }

    deinit {
        sweeper.cancel()
        let cluster = cluster
        if !cluster.isClosed { Task { await cluster.close() } }
    }

    /// Connects to a cluster, and creates the store under its prefix if it isn't there.
    ///
    /// - Throws: `.invalidArgument` for a configuration that can't be used; `.unsupportedFormat` if the prefix has
    ///   something else, or a store of a newer version; `.inputOutput`, `.permission`, `.outOfSpace`.
    /// - Complexity: One round trip.
    public nonisolated(nonsending) static func open(
        _ configuration: Configuration
    ) async throws(StoreError) -> EtcdStore {
        let cluster = try Cluster(configuration)
        let layout = Layout(prefix: configuration.prefix)
        do throws(CallFailure) {
            let response = try await cluster.call(Calls.transaction, StoreIdentity.request(layout))
            let id = try StoreIdentity.id(response, clusterID: cluster.clusterID)
            return EtcdStore(cluster, layout, id)
        } catch {
            await cluster.close()
            throw error.storeError
        }
    }

    /// Closes the connections. Feeds end; later calls throw `.closed`, and so do calls that haven't ended. The data
    /// stays in the cluster. A second call does nothing.
    public func close() async {
        sweeper.cancel()
        await cluster.close()
    }

    /// The time of the configuration's clock. It goes back when that does.
    public var now: Timestamp { configuration.clock?() ?? .system }

    /// The position after everything that this object has written or read.
    var knownPosition: ChangePosition { ChangePosition(store: id, sequence: UInt64(cluster.knownRevision)) }

    /// Throws `.closed` after ``close()``.
    func checkOpen() throws(StoreError) {
        if cluster.isClosed { throw .closed }
    }

    /// The error of a call that has failed.
    func error(_ failure: CallFailure) -> StoreError {
        if cluster.isClosed { return .closed }
        if failure.isTransient && Task.isCancelled {
            return StoreError(.cancelled, "the task was cancelled: call again", cause: failure.cause)
        }
        return failure.storeError
    }
}
#endif
