internal import Foundation

/// A Redis server of its own, on a socket in the store's directory, as durable as a row asks.
final class RedisServer {
    /// "7.0.15"; nil if there is no Redis server.
    static let version: String? = CommandOutput.firstLine("redis-server", "--version").map { line in
        line.split(separator: " ").first { $0.hasPrefix("v=") }.map { String($0.dropFirst(2)) } ?? ""
    }

    static var info: EngineInfo {
        EngineInfo(
            id: EngineID.redis.rawValue, title: "Redis", family: "redis", version: version ?? "",
            settings: [
                "A server process, reached by a socket of the file system; appendonly yes, appendfsync always, no "
                    + "snapshots. One connection and one thread for each worker."
            ], missing: nil)
    }

    private let process = Process()
    let socket: String

    init(_ directory: String) throws {
        // The path of a socket has at most 107 bytes.
        socket = "/tmp/heartwood-redis-\(ProcessInfo.processInfo.processIdentifier).sock"
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "redis-server", "--port", "0", "--unixsocket", socket, "--dir", directory, "--save", "", "--appendonly",
            "yes", "--appendfsync", "always",
        ]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        for _ in 0..<500 {
            if (try? RedisConnection(socket)) != nil { return }
            Thread.sleep(forTimeInterval: 0.01)
        }
        stop()
        throw EngineFailure("Redis", "the server doesn't answer")
    }

    func stop() {
        // The benchmark's processes ignore what asks them to end, and so does what they start.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        unlink(socket)
    }
}
