import Hummingbird
import Logging
import NIOCore

/// What the handlers of a request share.
struct CollectorContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// Who sent the request; set by ``AccessMiddleware``.
    var client: Client?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// The address of the other end; of the proxy, if there is one.
    var address: String { channel.remoteAddress?.ipAddress ?? "unknown" }

    /// Closes the connection a moment after the answer. The rest of the request is read and dropped until then,
    /// otherwise the answer could be lost with the connection.
    func closeLater() {
        let channel = channel
        channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
    }
}
