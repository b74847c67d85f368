internal import Foundation

/// The usual safe queue: LPUSH, BLMOVE into a list of what the worker has, and LREM from it when the job is done. Jobs
/// that are taken together are one pipeline. Nothing renews a lease or gives the jobs of a dead worker back.
enum RedisQueueing {
    static func measure(_ cell: Cell, batch: Int) async throws -> Measured {
        let server = try RedisServer(cell.store)
        defer { server.stop() }
        let (path, start, workers) = (server.socket, Ticks.now, cell.workers)
        let watches = try await withThrowingTaskGroup(of: Stopwatch.self) { group in
            for worker in 0..<workers {
                group.addTask { try await onThread { try cycle(path, cell, worker, batch, start) } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        var measured = Measured(watches, since: start, bytesEach: cell.info.valueBytes * batch)
        measured.operations *= batch
        let connection = try RedisConnection(path)
        for list in ["jobs"] + (0..<workers).map({ "taken-\($0)" }) { connection.add(["LLEN", list].map(Self.word)) }
        try connection.send()
        for _ in 0...workers {
            guard case .number(0) = try connection.reply() else { throw WrongResult("jobs are left in Redis") }
        }
        return measured
    }

    private static func cycle(
        _ path: String, _ cell: Cell, _ worker: Int, _ batch: Int, _ start: UInt64
    ) throws -> Stopwatch {
        let connection = try RedisConnection(path)
        var watch = Stopwatch(deadline: start + cell.nanoseconds, interval: 1)
        let (jobs, taken) = (word("jobs"), word("taken-\(worker)"))
        var number = 0
        while watch.next() > 0 {
            let new = (0..<batch).map { _ in
                number += 1
                return JobsWork.payload(worker << 40 | number, bytes: cell.info.valueBytes)[...]
            }
            connection.add([word("LPUSH"), jobs] + new)
            try connection.send()
            _ = try connection.reply()
            for _ in 0..<batch {
                connection.add([word("BLMOVE"), jobs, taken, word("RIGHT"), word("LEFT"), word("0")])
            }
            try connection.send()
            let done = try (0..<batch).map { _ in
                guard case .text(let job) = try connection.reply() else { throw WrongResult("no job in Redis") }
                return Array(job)
            }
            // The first one that it took is the last one in the list.
            for job in done { connection.add([word("LREM"), taken, word("-1"), job[...]]) }
            try connection.send()
            for _ in done {
                guard case .number(1) = try connection.reply() else { throw WrongResult("a job was taken twice") }
            }
            watch.lap()
        }
        watch.stop()
        return watch
    }

    private static func word(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }
}
