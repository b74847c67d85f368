#if Etcd
import Synchronization

/// Whether a store is closed, and what has to end with it.
final class ClosingState: Sendable {
    private struct State {
        var isClosed = false
        var next = 0
        var endings: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Closes. False if that has happened before.
    func close() -> Bool {
        let endings: [@Sendable () -> Void]? = state.withLock { state in
            if state.isClosed { return nil }
            state.isClosed = true
            defer { state.endings = [:] }
            return Array(state.endings.values)
        }
        guard let endings else { return false }
        for end in endings { end() }
        return true
    }

    /// Calls `end` when the store closes, or now if it is closed.
    ///
    /// - Returns: What ``remove(_:)`` takes.
    func add(_ end: @escaping @Sendable () -> Void) -> Int {
        let number: Int? = state.withLock { state in
            if state.isClosed { return nil }
            state.next += 1
            state.endings[state.next] = end
            return state.next
        }
        if number == nil { end() }
        return number ?? 0
    }

    func remove(_ number: Int) { _ = state.withLock { $0.endings.removeValue(forKey: number) } }
}
#endif
