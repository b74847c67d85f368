internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Synchronization

/// A commit on its way to the kernel, by a call of the log writer.
nonisolated extension Log {
    /// A sealed commit.
    struct Sealed {
        let buffer: CommitBuffer
        let content: CommitPipeline.Content
        /// Everything of the segment before this offset was on disk when it was sealed.
        let mark: UInt64
    }

    /// A system call of the write path failed, on blocks that were allocated: what is on disk is unknown.
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
        noteTime(time)
        noteWritten(segment, to: buffer.end)
    }

    /// The segment is in the kernel up to this offset.
    func noteWritten(_ segment: Segment, to end: UInt64) {
        unwrittenFrom.store(segment.baseAddress + end >> 3, ordering: .releasing)
    }

    /// Lets readers see up to there, and those go on who waited for it.
    func publish(_ visible: HeldPoint) {
        index.publish(visible.address, visible.sequence)
        visibleGate.open(to: visible.sequence)
    }

    /// Calls `body`; a failure names the segment as it is called now, not as it was when it was opened.
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
