import ClusterSupport
import HeartwoodEtcd

/// Makes faults in a cluster, one after the other.
struct Nemesis: Sendable {
    private let servers = TestServer.all
    private let clients: [FaultyProxy]
    /// Empty if the servers can't be behind proxies for each other.
    private let peers: [FaultyProxy]

    /// Puts proxies in front of the servers.
    init() async throws {
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
        func server(_ number: Int?) -> TestServer {
            number.map { servers[$0 - 1] } ?? TestServer.leader() ?? servers[0]
        }
        func during(_ damage: () throws -> Void, repair: () throws -> Void) async throws {
            try damage()
            try? await Task.sleep(for: time)
            try repair()
        }
        switch fault {
        case .kill(let number):
            let server = server(number)
            try await during({ server.kill() }, repair: { try server.restart() })
        case .pause(let number):
            let server = server(number)
            try await during({ server.pause() }, repair: { server.resume() })
        case .proxy(let network, let number, let mode):
            let proxies = network == .peers ? peers : clients
            let chosen = number.map { [proxies[$0 - 1]] } ?? proxies
            try await during({ chosen.forEach { $0.set(mode) } }, repair: { chosen.forEach { $0.set(.open) } })
        case .link(let number, let network):
            let set = { try server(number).setLink(network, isUp: $0) }
            try await during({ try set(false) }, repair: { try set(true) })
        case .disk(let number):
            let server = server(number)
            let repair = {
                try server.freeDisk()
                // A server ends when it can't write.
                if !server.isRunning { try server.restart() }
            }
            try await during({ try server.fillDisk() }, repair: repair)
        case .clock(let client, let seconds): clocks[client - 1].move { $0 = .seconds(seconds) }
        }
    }
}
