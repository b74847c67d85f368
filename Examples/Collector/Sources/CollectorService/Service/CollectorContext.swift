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
}
