import Heartwood
import Hummingbird

/// `GET /health`: the process is alive. `GET /ready`: it can take events.
struct HealthRoutes {
    let store: (any KeyValueStore)?

    func add(to group: RouterGroup<CollectorContext>) {
        group.get("/health") { _, _ in Response.json(Array(#"{"status":"alive"}"#.utf8)) }
        group.get("/ready") { _, _ in await ready() }
    }

    private func ready() async -> Response {
        guard let store else { return .json(Array(#"{"ready":true,"state":"none"}"#.utf8)) }
        if let files = store as? Store { return ready(files.statistics.state) }
        do throws(StoreError) {
            // A key that each opening sets.
            _ = try await store.fetchEntry(EventKeys.numbers)
            return Self.ready
        } catch {
            return Self.notReady("\(error.code)", "the cluster doesn't answer: check it, and etcd.endpoints")
        }
    }

    private func ready(_ state: Store.State) -> Response {
        switch state {
        case .ready: Self.ready
        case .outOfSpace:
            Self.notReady("\(state)", "the disk has no space: events are refused until there is some; reads work")
        case .failed:
            Self.notReady("\(state)", "a write to the disk failed: events are refused until the service is restarted")
        case .closed: Self.notReady("\(state)", "the store is closed: the service is stopping")
        }
    }

    private static var ready: Response { .json(Array(#"{"ready":true,"state":"ready"}"#.utf8)) }

    private static func notReady(_ state: String, _ reason: String) -> Response {
        .json(Array(#"{"ready":false,"state":"\#(state)","reason":"\#(reason)"}"#.utf8), .serviceUnavailable)
    }
}
