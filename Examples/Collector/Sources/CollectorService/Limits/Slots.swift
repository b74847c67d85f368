import Synchronization

/// Bounds how many of something exist at once, such as open streams.
final class Slots: Sendable {
    private let limit: Int
    private let used = Mutex(0)

    init(_ limit: Int) { self.limit = limit }

    /// How many are taken.
    var count: Int { used.withLock { $0 } }

    /// Takes one. False if there is none; otherwise call ``release()`` once.
    func take() -> Bool {
        used.withLock { used in
            guard used < limit else { return false }
            used += 1
            return true
        }
    }

    func release() { used.withLock { $0 -= 1 } }
}
