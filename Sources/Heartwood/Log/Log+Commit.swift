internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Synchronization

/// Writing a commit to the kernel by system calls of the log writer.
nonisolated extension Log {
    /// A sealed commit.
    struct Sealed {
        let buffer: CommitBuffer
        let content: CommitPipeline.Content
        /// The sync mark: everything of the segment before this offset was on disk when the commit was sealed.
        let mark: UInt64
    }

    /// A system call of the write path failed, on blocks that were allocated. What is on disk is unknown.
    struct Failure: Error {
        let cause: FileSystemError
        let doing: String
    }

    /// Writes a sealed commit to the kernel. Readers find its records in the file from here on.
    func write(_ sealed: Sealed) throws(Failure) {
        let buffer = sealed.buffer
        let segment = buffer.segment!
        let time = now.milliseconds
        buffer.finish(buffer.header(first: sealed.content.first, mark: sealed.mark, time: time))
        try failing("the log could not be written", segment) { () throws(FileSystemError) in
            try buffer.forEachPiece { (piece, offset) throws(FileSystemError) in
                try segment.file.writeFully(piece, at: offset)
            }
        }
        noteWritten(segment, to: buffer.end)
    }

    /// The segment is in the kernel up to this offset.
    func noteWritten(_ segment: Segment, to end: UInt64) {
        image.unwrittenFrom.store(segment.baseAddress + end >> 3, ordering: .releasing)
    }

    /// Makes visible what may be, and resumes the callers and the feeds that wait for it.
    func publish() {
        let (visible, followers) = withState { ($0.commits.pipeline.visiblePoint, $0.takeReadyFollowers()) }
        index.publish(visible.address, visible.sequence)
        visibleGate.open(to: visible.sequence)
        for follower in followers { follower.resume(returning: ()) }
    }

    /// Calls `body`. A failure gets the segment's current path, not the path under which the file was opened.
    func failing(
        _ doing: String, _ segment: Segment, _ body: () throws(FileSystemError) -> Void
    ) throws(Failure) {
        do throws(FileSystemError) {
            try body()
        } catch {
            throw Failure(cause: error.naming(segment), doing: doing)
        }
    }
}
