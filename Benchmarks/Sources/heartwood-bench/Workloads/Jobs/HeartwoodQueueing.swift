internal import Heartwood
internal import HeartwoodJobs
internal import HeartwoodRepository
internal import Synchronization

/// `jobs`: workers enqueue a job, take one and acknowledge it, again and again; or so many at once.
///
/// A `JobQueue` with its workers. Every enqueuing, claim and acknowledgement is `.synced`. The last job of each batch
/// enqueues another batch, so that as many jobs are on their way as in the other queues.
enum HeartwoodQueueing {
    static func measure(_ cell: Cell, batch: Int) async throws -> Measured {
        var configuration = Store.Configuration()
        configuration.durability = .synced
        let store = try await Store.open(at: cell.spec.store, configuration: configuration)
        let queue = try await JobQueue.open(in: store, coder: BytesCoder())
        let (bytes, start) = (cell.row.info.valueBytes, Ticks.now)
        let deadline = start + cell.nanoseconds
        let counter = Counter()
        let enqueue = { @Sendable in
            let numbers = counter.take(batch)
            let jobs = numbers.map { BytesJob(bytes: payload($0, bytes: bytes)) }
            if batch == 1 { try await queue.enqueue(jobs[0]) } else { try await queue.enqueue(contentsOf: jobs) }
        }
        let workers = JobWorkers(
            queue, JobWorkers.Configuration(count: cell.workers, batch: batch),
            handlers: [
                .handling(BytesJob.self) { job, _ in
                    let isLast = job.number % batch == 0
                    if isLast, Ticks.now < deadline { try await enqueue() }
                    if counter.finish() { counter.end() }
                }
            ])
        let running = Task { try await workers.run() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<cell.workers { group.addTask { try await enqueue() } }
            try await group.waitForAll()
        }
        await counter.wait()
        workers.stop()
        try await running.value
        let measured = Measured(counter.finished, since: start, bytesEach: bytes)
        let counts = try await queue.counts()
        try await store.close()
        let left = counts.due + counts.scheduled + counts.running + counts.dead
        guard left == 0, counter.finished == counter.enqueued else {
            throw WrongResult("\(counter.enqueued) jobs, \(counter.finished) done, and \(counts) left")
        }
        return measured
    }

    /// What a job carries: its number, and bytes.
    static func payload(_ number: Int, bytes: Int) -> [UInt8] {
        var payload = Array(String(number).utf8) + [UInt8(ascii: " ")]
        while payload.count < bytes { payload.append(UInt8(ascii: "a") + UInt8(payload.count % 26)) }
        return payload
    }

    /// A job of bytes, without a format.
    struct BytesJob: Job {
        static let name = "bytes"
        var bytes: [UInt8]

        var number: Int { bytes.prefix { $0 != UInt8(ascii: " ") }.reduce(0) { $0 * 10 + Int($1 - 48) } }
    }

    private struct BytesCoder: ModelCoder {
        let name = "bytes"

        func encode(_ value: some Encodable) throws -> [UInt8] {
            guard let job = value as? BytesJob else { throw WrongResult("another job") }
            return job.bytes
        }

        func decode<T: Decodable>(_ type: T.Type, from bytes: RawSpan) throws -> T {
            guard let job = BytesJob(bytes: bytes.withUnsafeBytes { [UInt8]($0) }) as? T else {
                throw WrongResult("another job")
            }
            return job
        }
    }

    /// How many jobs were enqueued and done.
    private final class Counter: Sendable {
        private let counts = Mutex((enqueued: 0, finished: 0))
        private let over = AsyncStream<Void>.makeStream()

        var enqueued: Int { counts.withLock { $0.enqueued } }
        var finished: Int { counts.withLock { $0.finished } }

        /// Numbers for new jobs; those of the last one of each batch are multiples of its size.
        func take(_ count: Int) -> ClosedRange<Int> {
            counts.withLock {
                $0.enqueued += count
                return $0.enqueued - count + 1...$0.enqueued
            }
        }

        /// Whether it was the last one.
        func finish() -> Bool {
            counts.withLock {
                $0.finished += 1
                return $0.finished == $0.enqueued
            }
        }

        func end() { over.continuation.finish() }

        func wait() async { for await _ in over.stream {} }
    }
}
