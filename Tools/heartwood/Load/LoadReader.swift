internal import HeartwoodConcurrency

/// Reads the input and makes jobs of it, on a thread of its own. A pipe may be silent for hours, and must not block the
/// cooperative threads, which write earlier records.
actor LoadReader {
    /// What one read of the input returned.
    struct Piece: Sendable {
        var jobs: [WriteJob] = []
        /// The lines that were left out, if that is allowed.
        var badLines: [BadLine] = []
        /// Set with the last piece, if a stop was requested before the end of the input.
        var wasStopped = false
        /// Set with the last piece, if the input ends with an error. The piece's jobs are from before the error.
        var failure: Failure?
    }

    private let executor = ThreadExecutor(name: "load-input")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let name: String
    private let bytes: InputBytes
    private var format: LineFormat
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
        splitter = LineSplitter(maximumLineBytes: maximumLineBytes, separator: format.fieldSeparator)
        gatherer = JobGatherer(recordsPerJob: recordsPerJob)
    }

    /// The next piece; nil at the end.
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
                    "\(name), \(error.description): "
                        + (error.isHeader
                            ? "the first line names the columns; if the input has no such line, give '--columns'"
                            : "everything before it is loaded; correct the line, "
                                + "or leave such lines out with '--skip-bad'")))
        } catch let failure as Failure {
            end(&piece, failure)
        } catch {
            end(&piece, Failure(.defect, "\(error): please report this"))
        }
        if isAtEnd, let rest = gatherer.finish() { piece.jobs.append(rest) }
        return piece
    }

    private func take(_ line: Line, into piece: inout Piece) throws(BadLine) {
        let made: Record?
        do {
            made = try format.record(line)
        } catch {
            guard skipsBadLines, !error.isHeader else { throw error }
            piece.badLines.append(error)
            return
        }
        guard let record = made else { return }
        if let job = gatherer.add(record, inputEnd: line.inputEnd) { piece.jobs.append(job) }
    }

    /// The lines that end in the next bytes.
    private func readLines() throws -> [Line] {
        var lines: [Line] = []
        let start = bytes.consumedBytes
        let next = try bytes.next()
        if next.isEmpty {
            isAtEnd = true
            // After a request to stop, the last line may be incomplete.
            if !bytes.wasStopped { splitter.finish(into: &lines) }
        } else {
            splitter.split(next, from: start..<bytes.consumedBytes, into: &lines)
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
