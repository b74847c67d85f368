#if Etcd
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Logging

/// Removes fences and slots that are no longer needed.
///
/// A fence is needed while a condition may have a view that is older. So each sweep first moves the horizon to the
/// revision that was the newest when the sweep before it ended. From then on, commits that need fences fail if their
/// view is older. Then the sweep removes the fences of removals up to the horizon, and slots that weren't used since.
///
/// All programs that use a store sweep it, but in each interval only the first one that moves the horizon.
struct FenceSweep: Sendable {
    private let cluster: Cluster
    private let layout: Layout

    init(_ cluster: Cluster, _ layout: Layout) { (self.cluster, self.layout) = (cluster, layout) }

    /// Sweeps again and again, until its task is cancelled.
    func run() async {
        var last: (revision: Int64, horizon: EtcdKeyValue)?
        while !Task.isCancelled {
            do throws(CallFailure) {
                let response = try await cluster.call(Calls.range, EtcdRangeRequest(layout.horizon))
                if let last, let horizon = response.kvs.first, horizon == last.horizon {
                    try await sweep(to: last.revision, from: horizon)
                }
                last = response.kvs.first.map { (response.header.revision, $0) }
            } catch {
                cluster.configuration.logger?.warning(
                    "fences weren't swept; they are swept later", metadata: ["error": "\(error.storeError)"])
            }
            // Not all programs at the same time.
            let interval = min(cluster.configuration.sweepInterval, .seconds(366 * 86_400))
            try? await Task.sleep(for: interval * Double.random(in: 1...1.2))
        }
    }

    /// Moves the horizon, unless another program has, and removes what is older.
    func sweep(to horizon: Int64, from old: EtcdKeyValue) async throws(CallFailure) {
        let request = EtcdTxnRequest(
            if: [.wasPut(layout.horizon, at: old.modRevision)], [.put(layout.horizon, ordered(horizon))])
        guard try await cluster.call(Calls.transaction, request).succeeded else { return }
        for (lower, upper) in [layout.fences, layout.slots] {
            var next: Data? = lower
            while let start = next { next = try await removePage(from: start, to: upper, through: horizon) }
        }
    }

    /// - Returns: Where the next page begins; nil at the end.
    private func removePage(from start: Data, to end: Data, through horizon: Int64) async throws(CallFailure) -> Data? {
        var read = EtcdRangeRequest(start, end: end)
        (read.keysOnly, read.limit, read.serializable) = (true, 1_024, true)
        let page = try await cluster.call(Calls.range, read, needsLeader: false)
        let limit = max(1, cluster.configuration.serverOperations - 1)
        let old = page.kvs.filter { $0.modRevision <= horizon }
        for start in stride(from: 0, to: old.count, by: limit) {
            // Each only if it wasn't put again.
            let removals = old[start..<min(old.count, start + limit)].map { value in
                EtcdRequestOp.transaction(
                    EtcdTxnRequest(if: [.wasPut(value.key, at: value.modRevision)], [.remove(value.key)]))
            }
            _ = try await cluster.call(Calls.transaction, EtcdTxnRequest(removals))
        }
        guard page.more, let last = page.kvs.last?.key, Layout.contains((start, end), last) else { return nil }
        return last + [0]
    }
}
#endif
