public import HeartwoodEtcd
import NIOCore
import NIOPosix
import Synchronization

/// A proxy in front of a server, which a test makes behave badly.
public final class FaultyProxy: Sendable {
    /// What it does with what it receives.
    public enum Mode: Sendable, Equatable {
        /// Passes it on.
        case open
        /// Passes it on after a time.
        case delay(Duration)
        /// Passes on what the client sends, and drops what the server answers.
        case dropAnswers
        /// Drops everything. Connections stay.
        case dropAll
        /// Closes connections, and accepts none.
        case refuse
    }

    private let state: State
    private let listener: any Channel

    final class State: Sendable {
        let mode = Mutex(Mode.open)
        let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

        func add(_ channel: any Channel) {
            let id = ObjectIdentifier(channel)
            channels.withLock { $0[id] = channel }
            channel.closeFuture.whenComplete { [self] _ in channels.withLock { $0[id] = nil } }
        }
    }

    /// Starts a proxy on a free port.
    ///
    /// - Parameter host: The address that it listens at.
    public init(to server: EtcdStore.Configuration.Endpoint, host: String = "127.0.0.1") async throws {
        let state = State()
        self.state = state
        listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in Self.connect(client, to: server, state) }
            .bind(host: host, port: 0).get()
    }

    /// Where clients connect to.
    public var endpoint: EtcdStore.Configuration.Endpoint {
        .init(host: listener.localAddress?.ipAddress ?? "127.0.0.1", port: listener.localAddress?.port ?? 0)
    }

    /// Changes what it does. Connections of which something was dropped are closed then.
    public func set(_ mode: Mode) {
        let old = state.mode.withLock { old in
            defer { old = mode }
            return old
        }
        if mode == .refuse || old == .dropAnswers || old == .dropAll {
            for channel in state.channels.withLock({ Array($0.values) }) { channel.close(promise: nil) }
        }
    }

    /// Stops.
    public func close() async {
        set(.refuse)
        try? await listener.close()
    }

    private static func connect(
        _ client: any Channel, to server: EtcdStore.Configuration.Endpoint, _ state: State
    ) -> EventLoopFuture<Void> {
        if state.mode.withLock({ $0 == .refuse }) { return client.close() }
        state.add(client)
        return ClientBootstrap(group: client.eventLoop).connect(host: server.host, port: server.port).flatMap {
            upstream in
            state.add(upstream)
            client.closeFuture.whenComplete { _ in upstream.close(promise: nil) }
            upstream.closeFuture.whenComplete { _ in client.close(promise: nil) }
            return client.eventLoop.makeCompletedFuture {
                try client.pipeline.syncOperations.addHandler(Forwarder(state, to: upstream, isAnswer: false))
                try upstream.pipeline.syncOperations.addHandler(Forwarder(state, to: client, isAnswer: true))
            }.flatMap { client.setOption(.autoRead, value: true) }
        }
    }
}

/// Passes what one side of a proxy receives on to the other side.
private final class Forwarder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let state: FaultyProxy.State
    private let other: any Channel
    private let isAnswer: Bool
    /// When what was delayed is passed on, and how much still waits. Nothing may overtake it.
    private var free = NIODeadline.now()
    private var waiting = 0
    /// Whether something was dropped. Nothing that came later may be passed on: a connection has no gaps.
    private var isBroken = false

    init(_ state: FaultyProxy.State, to other: any Channel, isAnswer: Bool) {
        (self.state, self.other, self.isAnswer) = (state, other, isAnswer)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let (bytes, other) = (unwrapInboundIn(data), other)
        if isBroken { return }
        switch state.mode.withLock({ $0 }) {
        case .open:
            pass(bytes, on: other, .zero, context.eventLoop)
        case .delay(let time):
            pass(bytes, on: other, TimeAmount(time), context.eventLoop)
        case .dropAnswers:
            if !isAnswer { pass(bytes, on: other, .zero, context.eventLoop) } else { isBroken = true }
        case .dropAll, .refuse:
            isBroken = true
        }
    }

    private func pass(_ bytes: ByteBuffer, on other: any Channel, _ delay: TimeAmount, _ loop: any EventLoop) {
        let now = NIODeadline.now()
        free = max(free, now + delay)
        if free <= now && waiting == 0 {
            other.writeAndFlush(bytes, promise: nil)
        } else {
            waiting += 1
            loop.assumeIsolated().scheduleTask(deadline: free) { [self] in
                waiting -= 1
                other.writeAndFlush(bytes, promise: nil)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
