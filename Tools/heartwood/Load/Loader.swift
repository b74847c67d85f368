internal import Heartwood

/// Writes the records of an input into a store: one reader, many writers.
struct Loader {
    let reader: LoadReader
    let tally: LoadTally
    let progress: ProgressBar
    let durability: Durability
    let concurrency: Int
    /// Whether each key is printed on standard output when it is acknowledged.
    let acknowledges: Bool
    /// Called when a write has failed, so that the reader doesn't wait for input that would not be written.
    let stop: @Sendable () -> Void

    /// How the input ended.
    struct Outcome: Sendable {
        var skippedLines = 0
        /// Whether a stop was requested before the end of the input.
        var wasStopped = false
        /// The error of the input or of a write. Earlier writes are kept.
        var failure: (any Error)?
    }

    /// Loads until the input ends, a line is refused, a write fails, or a stop is requested. Everything that was read
    /// before that is written when this returns.
    func run(into store: Store) async -> Outcome {
        let queue = WriteQueue(writers: concurrency)
        return await withTaskGroup(of: Void.self) { group in
            for _ in 0..<concurrency {
                group.addTask { await write(from: queue, to: store) }
            }
            var outcome = Outcome()
            while let piece = await reader.next() {
                for line in piece.badLines { progress.say("\(line.description) (left out)") }
                outcome.skippedLines += piece.badLines.count
                outcome.wasStopped = piece.wasStopped
                outcome.failure = piece.failure
                await queue.add(piece.jobs)
                if await queue.failure != nil { break }
            }
            await queue.complete()
            await group.waitForAll()
            // A failed write matters more, and is often the reason why the input ended early.
            if let failure = await queue.failure { outcome.failure = failure }
            return outcome
        }
    }

    private func write(from queue: WriteQueue, to store: Store) async {
        var finished: WriteJob?
        while let job = await queue.next(after: finished) {
            do {
                let sequence = try await write(job, to: store)
                tally.add(job, sequence: sequence)
                if acknowledges { try acknowledge(job) }
            } catch {
                await queue.fail(error)
                stop()
            }
            finished = job
        }
    }

    private func write(_ job: WriteJob, to store: Store) async throws -> SequenceNumber {
        if job.records.count == 1, let record = job.records.first {
            return try await store.put(
                record.key, record.value, expires: record.expiry, durability: durability)
        }
        var batch = store.makeBatch()
        for record in job.records {
            batch.put(record.key, record.value, expires: record.expiry)
        }
        return try await store.write(batch, durability: durability)
    }

    /// Prints the keys, in one call, so that the lines of concurrent writers don't mix.
    private func acknowledge(_ job: WriteJob) throws {
        var text: [UInt8] = []
        for record in job.records {
            Escaping.append(record.key, to: &text)
            text.append(UInt8(ascii: "\n"))
        }
        do {
            try StandardOutput.writeNow(text)
        } catch is StandardOutput.Closed {
            throw Failure(
                .inputOutput,
                "the acknowledgements are no longer read, so the load was stopped: load the rest again")
        }
    }
}

extension Record {
    fileprivate var expiry: Expiry { expires.map { .at($0) } ?? .never }
}
