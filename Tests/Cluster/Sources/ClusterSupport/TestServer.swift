import Foundation
public import HeartwoodEtcd

/// One of the servers that `Tools/cluster` has started: it can be killed, started again, paused, and cut off.
public struct TestServer: Sendable {
    /// 1 to 3.
    public let number: Int
    private let directory: String

    /// All servers; empty without `Tools/cluster`.
    public static let all: [TestServer] = {
        guard let directory = ProcessInfo.processInfo.environment["HEARTWOOD_ETCD_DIRECTORY"] else { return [] }
        return (1...3).map { TestServer(number: $0, directory: directory) }
    }()

    /// Its client address.
    public var endpoint: EtcdStore.Configuration.Endpoint { TestCluster.endpoints[number - 1] }

    private func path(_ name: String) -> String { "\(directory)/server-\(number).\(name)" }

    private var process: pid_t? {
        (try? String(contentsOfFile: path("pid"), encoding: .utf8)).flatMap {
            pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    private func signal(_ number: Int32) { if let process { _ = Foundation.kill(process, number) } }

    /// Ends the process at once (SIGKILL).
    public func kill() { signal(SIGKILL) }
    /// Stops the process, which keeps its connections (SIGSTOP).
    public func pause() { signal(SIGSTOP) }
    /// Lets a paused process run again (SIGCONT).
    public func resume() { signal(SIGCONT) }

    /// Starts the process again after ``kill()``, with its data.
    public func restart() throws {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/bash")
        shell.arguments = [path("command")]
        try shell.run()
        try "\(shell.processIdentifier)\n".write(toFile: path("pid"), atomically: true, encoding: .utf8)
    }

    /// The networks that a server's links belong to.
    public enum Network: String, Sendable, CaseIterable {
        /// To the other servers.
        case peers
        /// To the clients.
        case clients
    }

    /// Whether its links can be cut: `Tools/cluster --namespaces`.
    public var hasLinks: Bool { FileManager.default.fileExists(atPath: path("links")) }

    /// Takes the server's link to a network down, or up again.
    public func setLink(_ network: Network, isUp: Bool) throws {
        // One line for each network: its name, and the name of the link.
        let lines = try String(contentsOfFile: path("links"), encoding: .utf8).split(separator: "\n")
        for line in lines where line.hasPrefix(network.rawValue) {
            guard let link = line.split(separator: " ").last else { continue }
            _ = try run("ip", "link", "set", String(link), isUp ? "up" : "down")
        }
    }

    /// The server that leads now; nil if none says so.
    public static func leader() -> TestServer? {
        all.first { server in
            let status = try? run(
                "etcdctl", "--endpoints", "\(server.endpoint)", "--command-timeout", "1s", "endpoint", "status")
            // endpoint, id, version, size, leader, …
            return status?.split(separator: ",").dropFirst(4).first?.trimmingCharacters(in: .whitespaces) == "true"
        }
    }
}

/// Runs a command.
///
/// - Returns: What it prints.
@discardableResult
public func run(_ command: String...) throws -> String { try run(command) }

/// Runs a command.
///
/// - Returns: What it prints.
@discardableResult
public func run(_ command: [String]) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["ETCDCTL_API=3"] + command
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
}
