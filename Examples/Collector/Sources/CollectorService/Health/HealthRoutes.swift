import Heartwood
import Hummingbird

/// `GET /health`: the process is alive. `GET /ready`: it can take events.
struct HealthRoutes {
    let store: Store?

    func add(to group: RouterGroup<CollectorContext>) {
        group.get("/health") { _, _ in Response.json(Array(#"{"status":"alive"}"#.utf8)) }
        group.get("/ready") { _, _ in ready() }
    }

    private func ready() -> Response {
        guard let store else { return .json(Array(#"{"ready":true,"state":"none"}"#.utf8)) }
        let reason: String
        switch store.state {
        case .ready: return .json(Array(#"{"ready":true,"state":"ready"}"#.utf8))
        case .outOfSpace: reason = "the disk has no space: events are refused until there is some; reads work"
        case .failed: reason = "a write to the disk failed: events are refused until the service is restarted"
        case .closed: reason = "the store is closed: the service is stopping"
        }
        return .json(
            Array(#"{"ready":false,"state":"\#(store.state)","reason":"\#(reason)"}"#.utf8), .serviceUnavailable)
    }
}
