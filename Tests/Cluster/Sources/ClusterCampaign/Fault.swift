public import ClusterSupport

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
    /// The proxies between clients and a server, or all servers for nil.
    case proxy(Int?, FaultyProxy.Mode)
    /// The server's link to a network is down.
    case link(Int, TestServer.Network)

    /// What breaks.
    public var description: String {
        switch self {
        case .kill(let server): "kill server \(server)"
        case .killLeader: "kill the leader"
        case .pause(let server): "pause server \(server)"
        case .pauseLeader: "pause the leader"
        case .proxy(let server, let mode): "proxy of \(server.map { "server \($0)" } ?? "all servers"): \(mode)"
        case .link(let server, let network): "server \(server) loses its link to the \(network.rawValue)"
        }
    }

    /// A random fault.
    ///
    /// - Parameter hasLinks: Whether links can be cut.
    static func random(hasLinks: Bool, using random: inout some RandomNumberGenerator) -> Fault {
        let server = Int.random(in: 1...3, using: &random)
        let modes: [FaultyProxy.Mode] = [
            .refuse, .dropAnswers, .dropAll, .delay(.milliseconds(.random(in: 5...400, using: &random))),
        ]
        let mode = modes[.random(in: 0..<4, using: &random)]
        switch Int.random(in: 0..<(hasLinks ? 9 : 6), using: &random) {
        case 0: return .kill(server)
        case 1: return .killLeader
        case 2: return .pause(server)
        case 3: return .pauseLeader
        case 4: return .proxy(server, mode)
        case 5: return .proxy(nil, mode)
        case 6, 7: return .link(server, .peers)
        default: return .link(server, .clients)
        }
    }
}

/// Makes faults in a cluster, one after the other.
struct Nemesis {
    let servers = TestServer.all
    let proxies: [FaultyProxy]

    /// Whether links can be cut.
    var hasLinks: Bool { servers.allSatisfy(\.hasLinks) && !servers.isEmpty }

    /// Makes a fault for a time, and repairs it.
    func make(_ fault: Fault, for time: Duration) async throws {
        switch fault {
        case .kill(let number): try await kill(servers[number - 1], for: time)
        case .killLeader: try await kill(TestServer.leader() ?? servers[0], for: time)
        case .pause(let number): await pause(servers[number - 1], for: time)
        case .pauseLeader: await pause(TestServer.leader() ?? servers[0], for: time)
        case .proxy(let number, let mode):
            let chosen = number.map { [proxies[$0 - 1]] } ?? proxies
            for proxy in chosen { proxy.set(mode) }
            try? await Task.sleep(for: time)
            for proxy in chosen { proxy.set(.open) }
        case .link(let number, let network):
            try servers[number - 1].setLink(network, isUp: false)
            try? await Task.sleep(for: time)
            try servers[number - 1].setLink(network, isUp: true)
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
}
