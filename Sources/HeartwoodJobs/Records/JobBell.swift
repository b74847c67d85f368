internal import HeartwoodConcurrency
internal import KeyValueStore

/// Wakes the workers of this process when a job was enqueued in it. A hint only: what there is to do is in the store.
///
/// There is one for each queue of a store object.
final class JobBell: Sendable {
    private struct State {
        var listeners: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    private struct Name: Hashable {
        let store: ObjectIdentifier
        let queue: String
    }

    /// A bell keeps its store alive, so the identity of a store isn't used again while its bell is.
    private struct WeakBell { weak var bell: JobBell? }

    private static let bells = Locked<[Name: WeakBell]>([:])

    private let store: any KeyValueStore
    private let state = Locked(State())

    private init(_ store: any KeyValueStore) { self.store = store }

    static func of(_ store: any KeyValueStore, _ queue: String) -> JobBell {
        bells.withLock { bells in
            let name = Name(store: ObjectIdentifier(store), queue: queue)
            if let bell = bells[name]?.bell { return bell }
            bells = bells.filter { $0.value.bell != nil }
            let bell = JobBell(store)
            bells[name] = WeakBell(bell: bell)
            return bell
        }
    }

    func ring() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener() }
    }

    /// - Returns: For ``remove(_:)``.
    func add(_ listener: @escaping @Sendable () -> Void) -> Int {
        state.withLock {
            $0.next += 1
            $0.listeners[$0.next] = listener
            return $0.next
        }
    }

    func remove(_ listener: Int) { state.withLock { $0.listeners[listener] = nil } }
}
