import ClusterSupport
import Foundation
import HeartwoodEtcd

/// One of the servers that `Tools/cluster` has started: it can be killed, started again, paused, cut off, and its disk
/// filled.
struct TestServer: Sendable {
    /// 1 to 3.
    let number: Int
    private let directory: String

    /// All servers; empty without `Tools/cluster`.
    static let all: [TestServer] = {
        guard let directory = ProcessInfo.processInfo.environment["HEARTWOOD_ETCD_DIRECTORY"] else { return [] }
        return (1...3).map { TestServer(number: $0, directory: directory) }
    }()

    /// Its client address.
    var endpoint: EtcdStore.Configuration.Endpoint { TestCluster.endpoints[number - 1] }

    private func path(_ name: String) -> String { "\(directory)/server-\(number).\(name)" }

    private var process: pid_t? {
        (try? String(contentsOfFile: path("pid"), encoding: .utf8)).flatMap {
            pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    private func signal(_ number: Int32) { if let process { _ = Foundation.kill(process, number) } }

    /// Ends the process at once (SIGKILL).
    func kill() { signal(SIGKILL) }
    /// Stops the process, which keeps its connections (SIGSTOP).
    func pause() { signal(SIGSTOP) }
    /// Lets a paused process run again (SIGCONT).
    func resume() { signal(SIGCONT) }

    /// Starts the process again after ``kill()``, with its data.
    func restart() throws {
        // Until it has ended, it has its port.
        for _ in 0..<1_000 where isRunning { usleep(5_000) }
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/bash")
        shell.arguments = [path("command")]
        try shell.run()
        try "\(shell.processIdentifier)\n".write(toFile: path("pid"), atomically: true, encoding: .utf8)
    }

    /// Whether the process runs.
    var isRunning: Bool { process.map { Foundation.kill($0, 0) == 0 } ?? false }

    // MARK: Its parts, with `Tools/cluster --namespaces`

    /// The networks that a server's links belong to.
    enum Network: String, Sendable, CaseIterable {
        /// To the other servers.
        case peers
        /// To the clients.
        case clients
    }

    /// Whether its links can be cut and its disk filled: `Tools/cluster --namespaces`.
    var hasParts: Bool { FileManager.default.fileExists(atPath: path("parts")) }

    /// A part: each is a line with its name and its value.
    private func part(_ name: String) throws -> String {
        let lines = try String(contentsOfFile: path("parts"), encoding: .utf8).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix(name + " ") }) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return String(line.dropFirst(name.count + 1))
    }

    /// Takes the server's link to a network down, or up again.
    func setLink(_ network: Network, isUp: Bool) throws {
        try run(["ip", "link", "set", try part(network.rawValue), isUp ? "up" : "down"])
    }

    /// Fills the server's disk.
    func fillDisk() throws {
        let file = "\(try part("disk"))/ballast"
        guard FileManager.default.createFile(atPath: file, contents: nil),
            let handle = FileHandle(forWritingAtPath: file)
        else { throw CocoaError(.fileWriteUnknown) }
        // Smaller and smaller pieces, until not even a page fits.
        var size = 16 << 20
        while size >= 4_096 {
            do {
                try handle.write(contentsOf: Data(count: size))
            } catch {
                size /= 2
            }
        }
        try handle.close()
    }

    /// Removes what ``fillDisk()`` has written.
    func freeDisk() throws { try FileManager.default.removeItem(atPath: "\(try part("disk"))/ballast") }

    /// Puts a proxy between this server and what the other servers send to it.
    func proxyPeers() async throws -> FaultyProxy {
        guard let peer = EtcdStore.Configuration.Endpoint(try part("peer")) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        let proxy = try await FaultyProxy(to: peer, host: try part("proxies"))
        let members = try TestCluster.control(["member", "list"])
        // id, state, name, …
        let fields = members.split(separator: "\n").map { $0.split(separator: ",") }
        guard let id = fields.first(where: { $0.count > 2 && $0[2].hasSuffix("-\(number)") })?[0] else {
            throw CocoaError(.fileReadCorruptFile)
        }
        let answer = try TestCluster.control(
            ["member", "update", String(id), "--peer-urls", "http://\(proxy.endpoint)"])
        guard answer.contains("updated") else { throw CocoaError(.executableRuntimeMismatch) }
        return proxy
    }

    /// The server that leads now; nil if none says so.
    static func leader() -> TestServer? {
        all.first { server in
            let status = try? TestCluster.control(
                ["--command-timeout", "1s", "endpoint", "status"], at: [server.endpoint])
            // endpoint, id, version, size, leader, …
            return status?.split(separator: ",").dropFirst(4).first?.trimmingCharacters(in: .whitespaces) == "true"
        }
    }
}
