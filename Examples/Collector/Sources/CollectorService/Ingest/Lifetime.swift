import Heartwood

/// How long something is kept.
///
/// On a cluster, the keys that expire in one second share a lease, and each lease costs a call and memory of the
/// servers. So there the end is rounded up to a multiple of a thousandth of the time: at most a thousand leases exist.
struct Lifetime: Sendable {
    private let duration: Duration
    /// In milliseconds.
    private let grain: UInt64

    init(_ duration: Duration, on store: (any KeyValueStore)?) {
        self.duration = duration
        let isExact = store.map { $0.limits.expiryGrain < .seconds(1) } ?? true
        // A thousandth of it in milliseconds is its number of seconds.
        grain = isExact ? 1 : UInt64(max(1_000, duration.components.seconds))
    }

    func end(from now: Timestamp) -> Timestamp {
        let end = now + duration
        let rest = end.milliseconds % grain
        return rest == 0 ? end : end + .milliseconds(grain - rest)
    }
}
