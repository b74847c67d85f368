#if Etcd
import KeyValueStore
import Synchronization

/// The leases that this program knows to exist. A lease's number is the second in which its keys expire, so all
/// programs use the same lease, and a key's lease says when it expires.
final class LeaseTable: Sendable {
    private let known = Mutex<Set<Int64>>([])
    /// How many seconds a lease outlives its expiry. Until then programs hide its keys by their own clocks, and a
    /// commit that is on its way still finds the lease.
    private let margin: Int64
    /// Longer ones are shortened. Etcd grants 9,000,000,000 seconds.
    private static let longest: Int64 = 8_000_000_000

    init(margin: Duration) { self.margin = min(max(10, margin.components.seconds), 1_000_000_000) }

    /// The second of an expiry, rounded up; nil if it never expires.
    static func second(_ expiry: Expiry, now: Timestamp) -> Int64? {
        let milliseconds = expiry.stored(now: now)
        if milliseconds == 0 { return nil }
        return Int64(milliseconds / 1_000) + (milliseconds % 1_000 == 0 ? 0 : 1)
    }

    /// Grants the leases of these seconds, unless they exist.
    func ensure(_ seconds: Set<Int64>, now: Timestamp, in cluster: Cluster) async throws(CallFailure) {
        let current = Int64(now.milliseconds / 1_000)
        let missing = known.withLock { known in
            if known.count > 10_000 { known = known.filter { $0 > current } }
            return seconds.subtracting(known)
        }
        for second in missing {
            var request = EtcdLeaseGrantRequest()
            request.id = second
            request.ttl = min(Self.longest, max(0, second - current)) + margin
            do throws(CallFailure) {
                _ = try await cluster.call(.grantLease, request)
            } catch {
                if error.kind != .leaseExists { throw error }
            }
            _ = known.withLock { $0.insert(second) }
        }
    }

    /// Forgets leases, because one of them is gone.
    func forget(_ seconds: Set<Int64>) { known.withLock { $0.subtract(seconds) } }
}
#endif
