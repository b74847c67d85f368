import ClusterSupport

/// One fault: what breaks, and how it is repaired.
enum Fault: CustomStringConvertible {
    /// The process of a server is killed, and started again later; of the leader for nil.
    case kill(Int?)
    /// The process of a server is stopped; of the leader for nil.
    case pause(Int?)
    /// The proxies of a network in front of a server, or of all servers for nil.
    case proxy(TestServer.Network, Int?, FaultyProxy.Mode)
    /// The server's link to a network is down.
    case link(Int, TestServer.Network)
    /// The server's disk is full.
    case disk(Int)
    /// A client's clock is so many seconds before the right time, or after it. It stays so.
    case clock(client: Int, seconds: Int)

    var description: String {
        func name(_ server: Int?, _ other: String = "the leader") -> String { server.map { "server \($0)" } ?? other }
        return switch self {
        case .kill(let server): "kill \(name(server))"
        case .pause(let server): "pause \(name(server))"
        case .proxy(let network, let server, let mode):
            "proxy of \(name(server, "all servers")) to \(network.rawValue): \(mode)"
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
        case 1: return .kill(nil)
        case 2: return .pause(server)
        case 3: return .pause(nil)
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
