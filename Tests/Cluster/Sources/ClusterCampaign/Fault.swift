public import ClusterSupport
import HeartwoodEtcd

/// One fault: what breaks, and how it is repaired.
public enum Fault: Sendable, CustomStringConvertible {
    /// The server's process is killed, and started again later.
    case kill(Int)
    /// The leader is killed.
    case killLeader
    /// The server's process is stopped.
    case pause(Int)
    /// The leader is stopped.
    case pauseLeader
    /// The proxies of a network in front of a server, or of all servers for nil.
    case proxy(TestServer.Network, Int?, FaultyProxy.Mode)
    /// The server's link to a network is down.
    case link(Int, TestServer.Network)
    /// The server's disk is full.
    case disk(Int)
    /// A client's clock is so many seconds before the right time, or after it. It stays so.
    case clock(client: Int, seconds: Int)

    /// What breaks.
    public var description: String {
        switch self {
        case .kill(let server): "kill server \(server)"
        case .killLeader: "kill the leader"
        case .pause(let server): "pause server \(server)"
        case .pauseLeader: "pause the leader"
        case .proxy(let network, let server, let mode):
            "proxy of \(server.map { "server \($0)" } ?? "all servers") to \(network.rawValue): \(mode)"
        case .link(let server, let network): "server \(server) loses its link to \(network.rawValue)"
        case .disk(let server): "server \(server) has a full disk"
        case .clock(let client, let seconds): "client \(client) has its clock moved by \(seconds) s"
        }
    }

    /// A random fault.
    ///
    /// - Parameter hasParts: Whether links can be cut, disks filled, and servers be behind proxies for each other.
    static func random(hasParts: Bool, using random: inout some RandomNumberGenerator) -> Fault {
        let server = Int.random(in: 1...3, using: &random)
        let modes: [FaultyProxy.Mode] = [
            .refuse, .dropAnswers, .dropAll, .delay(.milliseconds(.random(in: 5...400, using: &random))),
        ]
        let mode = modes[.random(in: 0..<4, using: &random)]
        switch Int.random(in: 0..<(hasParts ? 14 : 7), using: &random) {
        case 0: return .kill(server)
        case 1: return .killLeader
        case 2: return .pause(server)
        case 3: return .pauseLeader
        case 4: return .proxy(.clients, server, mode)
        case 5: return .proxy(.clients, nil, mode)
        case 6:
            let client = Int.random(in: 1...Client.writers, using: &random)
            let most = Client.usesExpiry(client) ? Client.clockDifference : 86_400
            return .clock(client: client, seconds: .random(in: -most...most, using: &random))
        case 7, 8: return .link(server, .peers)
        case 9: return .link(server, .clients)
        case 10: return .proxy(.peers, server, mode)
        case 11: return .proxy(.peers, nil, mode)
        default: return .disk(server)
        }
    }
}

/// Makes faults in a cluster, one after the other.
public struct Nemesis: Sendable {
    private let servers = TestServer.all
    private let clients: [FaultyProxy]
    /// Empty if the servers can't be behind proxies for each other.
    private let peers: [FaultyProxy]

    /// Puts proxies in front of the servers.
    public init() async throws {
        var (clients, peers) = ([FaultyProxy](), [FaultyProxy]())
        for server in servers {
            clients.append(try await FaultyProxy(to: server.endpoint))
            if server.hasParts { peers.append(try await server.proxyPeers()) }
        }
        (self.clients, self.peers) = (clients, peers)
        // Otherwise the servers would keep the connections that they have.
        for server in servers where hasParts { server.kill() }
        for server in servers where hasParts { try server.restart() }
    }

    /// Whether there is more than processes and clients' connections that can fail.
    var hasParts: Bool { !peers.isEmpty }

    /// Where clients connect to.
    var endpoints: [EtcdStore.Configuration.Endpoint] { clients.map(\.endpoint) }

    /// Makes a fault for a time, and repairs it.
    func make(_ fault: Fault, for time: Duration, _ clocks: [MovedClock]) async throws {
        switch fault {
        case .kill(let number): try await kill(servers[number - 1], for: time)
        case .killLeader: try await kill(TestServer.leader() ?? servers[0], for: time)
        case .pause(let number): await pause(servers[number - 1], for: time)
        case .pauseLeader: await pause(TestServer.leader() ?? servers[0], for: time)
        case .proxy(let network, let number, let mode):
            let proxies = network == .peers ? peers : clients
            let chosen = number.map { [proxies[$0 - 1]] } ?? proxies
            for proxy in chosen { proxy.set(mode) }
            try? await Task.sleep(for: time)
            for proxy in chosen { proxy.set(.open) }
        case .link(let number, let network):
            try servers[number - 1].setLink(network, isUp: false)
            try? await Task.sleep(for: time)
            try servers[number - 1].setLink(network, isUp: true)
        case .disk(let number): try await fill(servers[number - 1], for: time)
        case .clock(let client, let seconds): clocks[client - 1].move(to: seconds)
        }
    }

    private func kill(_ server: TestServer, for time: Duration) async throws {
        server.kill()
        try? await Task.sleep(for: time)
        try server.restart()
    }

    private func pause(_ server: TestServer, for time: Duration) async {
        server.pause()
        try? await Task.sleep(for: time)
        server.resume()
    }

    /// A server ends when it can't write.
    private func fill(_ server: TestServer, for time: Duration) async throws {
        try server.fillDisk()
        try? await Task.sleep(for: time)
        try server.freeDisk()
        if !server.isRunning { try server.restart() }
    }
}
