internal import HeartwoodFileSystem

/// Reads the input and makes jobs of it, on a thread of its own: a pipe may be silent for hours, and must not hold up
/// the cooperative threads, which write what came before.
actor LoadReader {
    /// What one look at the input brought.
    struct Piece: Sendable {
        var jobs: [WriteJob] = []
        /// The lines that were left out, where that is allowed.
        var badLines: [BadLine] = []
        /// Set with the last piece, where a request to stop came before the end of the input.
        var wasStopped = false
        /// Set with the last piece, where the input ends in an error. The jobs come before it.
        var failure: Failure?
    }

    private let executor = ThreadExecutor(name: "load-input")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let name: String
    private let bytes: InputBytes
    private let format: LineFormat
    private let skipsBadLines: Bool
    private var splitter: LineSplitter
    private var gatherer: JobGatherer
    private var isAtEnd = false

    init(
        _ file: InputFile, format: LineFormat, maximumLineBytes: Int, recordsPerJob: Int, skipsBadLines: Bool,
        isStopped: @escaping @Sendable () -> Bool
    ) {
        name = file.name
        bytes = InputBytes(file, isStopped: isStopped)
        self.format = format
        self.skipsBadLines = skipsBadLines
        splitter = LineSplitter(maximumLineBytes: maximumLineBytes)
        gatherer = JobGatherer(recordsPerJob: recordsPerJob)
    }

    /// What comes next; nil at the end.
    func next() -> Piece? {
        guard !isAtEnd else { return nil }
        var piece = Piece()
        do {
            for line in try readLines() { try take(line, into: &piece) }
            piece.wasStopped = isAtEnd && bytes.wasStopped
        } catch let error as BadLine {
            end(
                &piece,
                Failure(
                    .badData,
                    "\(name), \(error.description): everything before it is loaded; mend the line, "
                        + "or leave such lines out with '--skip-bad'"))
        } catch let failure as Failure {
            end(&piece, failure)
        } catch {
            end(&piece, Failure(.defect, "\(error): please report this"))
        }
        if isAtEnd, let rest = gatherer.finish() { piece.jobs.append(rest) }
        return piece
    }

    private func take(_ line: Line, into piece: inout Piece) throws(BadLine) {
        let record: Record
        do {
            record = try format.record(line)
        } catch {
            guard skipsBadLines else { throw error }
            piece.badLines.append(error)
            return
        }
        if let job = gatherer.add(record) { piece.jobs.append(job) }
    }

    /// The lines that end in the next bytes.
    private func readLines() throws -> [Line] {
        var lines: [Line] = []
        let next = try bytes.next()
        if next.isEmpty {
            isAtEnd = true
            // A line that was cut off by a request to stop is not a line.
            if !bytes.wasStopped { splitter.finish(into: &lines) }
        } else {
            splitter.split(next, into: &lines)
        }
        return lines
    }

    private func end(_ piece: inout Piece, _ failure: Failure) {
        isAtEnd = true
        piece.failure = failure
    }
}

/// Runs an actor on a thread of its own.
private final class ThreadExecutor: SerialExecutor {
    private let pool: WorkerPool

    init(name: String) {
        pool = WorkerPool(name: name, maximumThreads: 1, idleNanoseconds: 10_000_000_000)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.submit { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
