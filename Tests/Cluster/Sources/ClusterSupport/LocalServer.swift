public import Foundation
public import HeartwoodEtcd

/// A server of a test's own, for what concerns a whole cluster: compaction, users, TLS, quotas.
public final class LocalServer: Sendable {
    /// Where its data is; tests may put files there.
    public let directory: URL
    /// Its client address.
    public let endpoint: EtcdStore.Configuration.Endpoint
    private let process: pid_t

    /// Starts a server, and waits until it is healthy.
    ///
    /// - Parameters:
    ///   - arguments: More arguments of `etcd`.
    ///   - scheme: "https" with TLS; `arguments` name the files then.
    ///   - files: Makes files in the directory before the server starts.
    public init(
        _ arguments: [String] = [], scheme: String = "http", files: (URL) throws -> Void = { _ in }
    ) async throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "heartwood-etcd-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try files(directory)
        var started: (server: Process, port: Int)?
        for _ in 0..<5 where started == nil {
            // Not of the ports that the system gives to connections. The next one is for peers.
            let port = 2 * Int.random(in: 10_000..<16_000)
            if Self.isListening(port) || Self.isListening(port + 1) { continue }
            let server = try Self.start(arguments, scheme, port, in: directory)
            if await Self.isUp(server, port) {
                started = (server, port)
            } else {
                server.terminate()
            }
        }
        guard let started else { throw CocoaError(.executableLoad) }
        endpoint = .init(host: "localhost", port: started.port)
        process = started.server.processIdentifier
    }

    private static func start(
        _ arguments: [String], _ scheme: String, _ port: Int, in directory: URL
    ) throws -> Process {
        let server = Process()
        server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        server.currentDirectoryURL = directory
        let (client, peer) = ("\(scheme)://localhost:\(port)", "http://localhost:\(port + 1)")
        server.arguments =
            [
                "etcd", "--data-dir", directory.appending(path: "data-\(port)").path, "--listen-client-urls", client,
                "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                "--initial-cluster", "default=\(peer)", "--logger", "zap", "--log-level", "error",
            ] + arguments
        server.standardError = FileHandle.nullDevice
        try server.run()
        return server
    }

    /// Waits until a server listens; false if it has ended.
    private static func isUp(_ server: Process, _ port: Int) async -> Bool {
        for _ in 0..<600 {
            if isListening(port) { return true }
            if !server.isRunning { return false }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return false
    }

    /// Whether something listens.
    private static func isListening(_ port: Int) -> Bool {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return result == 0
    }

    /// Runs `etcdctl` on it.
    @discardableResult
    public func control(_ arguments: String...) throws -> String {
        try run(["etcdctl", "--endpoints", "\(endpoint)"] + arguments)
    }

    /// Ends it, and removes its data.
    public func stop() {
        _ = kill(process, SIGKILL)
        try? FileManager.default.removeItem(at: directory)
    }
}
