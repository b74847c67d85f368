#if Etcd
import KeyValueStore
import Synchronization

/// The leases that this program knows to exist. A lease's number is the second in which its keys expire, so all
/// programs use the same lease, and a key's lease says when it expires.
final class LeaseTable: Sendable {
    private struct State {
        var known: Set<Int64> = []
        /// With more, those that have expired are forgotten.
        var most = 10_000
    }

    private let state = Mutex(State())
    /// How many seconds a lease outlives its expiry. Until then programs hide its keys by their own clocks, and a
    /// commit that is on its way still finds the lease.
    private let margin: Int64
    /// Longer ones are shortened. Etcd grants 9,000,000,000 seconds.
    private static let longest: Int64 = 8_000_000_000

    init(margin: Duration) { self.margin = min(max(.seconds(10), margin), .seconds(1_000_000_000)).components.seconds }

    /// The second of an expiry, rounded up; nil if it never expires.
    static func second(_ expiry: Expiry, now: Timestamp) -> Int64? {
        let milliseconds = expiry.stored(now: now)
        if milliseconds == 0 { return nil }
        return Int64(milliseconds / 1_000) + (milliseconds % 1_000 == 0 ? 0 : 1)
    }

    /// Grants the leases of these seconds, unless they exist.
    func ensure(_ seconds: Set<Int64>, now: Timestamp, in cluster: Cluster) async throws(CallFailure) {
        let current = Int64(now.milliseconds / 1_000)
        let missing = state.withLock { state in
            if state.known.count > state.most {
                state.known = state.known.filter { $0 > current }
                state.most = max(10_000, 2 * state.known.count)
            }
            return seconds.subtracting(state.known)
        }
        for second in missing {
            var request = EtcdLeaseGrantRequest()
            request.id = second
            request.ttl = min(Self.longest, max(0, second - current)) + margin
            do throws(CallFailure) {
                _ = try await cluster.call(Calls.grantLease, request)
            } catch {
                if error.kind != .leaseExists { throw error }
            }
            _ = state.withLock { $0.known.insert(second) }
        }
    }

    /// Forgets leases, because one of them is gone.
    func forget(_ seconds: Set<Int64>) { state.withLock { $0.known.subtract(seconds) } }
}
#endif
