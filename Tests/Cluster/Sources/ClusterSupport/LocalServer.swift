public import Foundation
public import HeartwoodEtcd
import NIOCore
import NIOPosix

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
            if await Self.isListening(port) { continue }
            if await Self.isListening(port + 1) { continue }
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
            if await isListening(port) { return true }
            if !server.isRunning { return false }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return false
    }

    /// Whether something listens.
    private static func isListening(_ port: Int) async -> Bool {
        let client = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        let connection = try? await client.connect(host: "127.0.0.1", port: port).get()
        try? await connection?.close()
        return connection != nil
    }

    /// Runs `etcdctl` on it.
    @discardableResult
    public func control(_ arguments: String...) throws -> String {
        try TestCluster.control(arguments, at: [endpoint])
    }

    /// Ends it, and removes its data.
    public func stop() {
        _ = kill(process, SIGKILL)
        try? FileManager.default.removeItem(at: directory)
    }
}
