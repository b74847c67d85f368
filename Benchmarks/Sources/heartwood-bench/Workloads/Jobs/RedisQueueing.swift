internal import Foundation

/// The usual safe queue: LPUSH, BLMOVE into a list of what the worker has, and LREM from it when the job is done. Jobs
/// that are taken together are one pipeline. Nothing renews a lease or gives the jobs of a dead worker back.
struct Redis: Subject {
    let version: String

    var info: EngineInfo {
        EngineInfo(
            .redis, "Redis", version: version,
            settings: """
                A server process, reached by a socket of the file system; appendonly yes, appendfsync always, no \
                snapshots. One connection and one thread for each worker.
                """)
    }

    func run(_ cell: Cell) async throws -> Measured? {
        guard case .jobs(let batch) = cell.row.work else { throw WrongResult("redis is measured with jobs only") }
        let server = try RedisServer(cell.spec.store)
        defer { server.stop() }
        let (path, start, workers) = (server.socket, Ticks.now, cell.workers)
        let watches = try await withThrowingTaskGroup(of: Stopwatch.self) { group in
            for worker in 0..<workers {
                group.addTask { try await onThread { try cycle(path, cell, worker, batch, start) } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let connection = try RedisConnection(path)
        for list in ["jobs"] + (0..<workers).map({ "taken-\($0)" }) {
            connection.add(["LLEN", list].map(Self.word))
        }
        try connection.send()
        for _ in 0...workers {
            guard case .number(0) = try connection.reply() else { throw WrongResult("jobs are left in Redis") }
        }
        return Measured(watches, since: start, bytesEach: cell.row.info.valueBytes * batch, batch: batch)
    }

    private func cycle(
        _ path: String, _ cell: Cell, _ worker: Int, _ batch: Int, _ start: UInt64
    ) throws -> Stopwatch {
        let connection = try RedisConnection(path)
        var watch = cell.stopwatch(since: start, interval: 1)
        let (jobs, taken) = (Self.word("jobs"), Self.word("taken-\(worker)"))
        let move = [Self.word("BLMOVE"), jobs, taken] + ["RIGHT", "LEFT", "0"].map(Self.word)
        var number = 0
        while watch.next() {
            let new = (0..<batch).map { _ in
                number += 1
                return HeartwoodQueueing.payload(worker << 40 | number, bytes: cell.row.info.valueBytes)[...]
            }
            connection.add([Self.word("LPUSH"), jobs] + new)
            try connection.send()
            _ = try connection.reply()
            for _ in 0..<batch { connection.add(move) }
            try connection.send()
            let done = try (0..<batch).map { _ in
                guard case .text(let job) = try connection.reply() else { throw WrongResult("no job in Redis") }
                return Array(job)
            }
            // The first one that it took is the last one in the list.
            for job in done { connection.add([Self.word("LREM"), taken, Self.word("-1"), job[...]]) }
            try connection.send()
            for _ in done {
                guard case .number(1) = try connection.reply() else { throw WrongResult("a job was taken twice") }
            }
        }
        return watch
    }

    private static func word(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }
}

/// A Redis server of its own, on a socket in the store's directory, as durable as a row asks.
final class RedisServer {
    /// "7.0.15"; nil if there is no Redis server.
    static let version: String? = CommandOutput.firstLine("redis-server", "--version").map { line in
        line.split(separator: " ").first { $0.hasPrefix("v=") }.map { String($0.dropFirst(2)) } ?? ""
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
