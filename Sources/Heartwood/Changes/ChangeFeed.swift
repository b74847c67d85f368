internal import HeartwoodConcurrency
internal import HeartwoodFormat

/// What a feed follows: the log of a store that is open in this process, or files that another process may write.
protocol ChangeSource: AnyObject, Sendable {
    var directory: LogDirectory { get }
    /// The largest value that is decompressed.
    var maximumValueBytes: Int { get }

    /// How far a feed may read now. May block on the disk.
    func readable() throws(StoreError) -> ReadableChanges

    /// Waits until there may be more than what `readable` was, or the task is cancelled.
    ///
    /// - Parameter feed: Identifies the feed, which waits once at a time.
    nonisolated(nonsending) func wait(after readable: ReadableChanges, by feed: ObjectIdentifier) async

    /// A feed's consumer is done with the changes up to a number; nil when the feed is released.
    func noteConsumed(_ sequence: SequenceNumber?, by feed: ObjectIdentifier)
}

/// How far a feed may read.
struct ReadableChanges: Sendable {
    /// The sequence number of the last write that it may deliver.
    var sequence: SequenceNumber
    /// Whether the files must have writes up to that number: it isn't one that an opening skipped.
    var isInFiles = true
    /// Whether nothing will follow, and why, if it isn't the close.
    var end: End?

    enum End: Sendable { case closed, failed(StoreError) }
}

/// A running feed: reads pages of changes off the cooperative pool, one page ahead of its consumer.
///
/// The reader's lock is never contended: one page is read at a time.
final class ChangeFeed: Sendable {
    /// A page, and what to do after it.
    struct Load: Sendable {
        var page = ChangePage()
        /// Whether more can be read at once.
        var hasMore = false
        var readable = ReadableChanges(sequence: 0)
        /// Where to follow from after the page.
        var sequence: SequenceNumber = 0
    }
    private typealias Outcome = Result<Load, StoreError>

    private enum Ahead {
        case nothing
        case loading
        case awaited(Sleeper<Outcome>)
        case loaded(Outcome)
    }

    private let source: any ChangeSource
    private let reader: Locked<ChangeReader>
    /// The last number of the page that the consumer has.
    private let delivered: Locked<SequenceNumber>
    private let ahead = Locked(Ahead.nothing)
    /// Keeps the log after the position until the feed has caught up.
    private let hold: LogHold?

    init(_ source: any ChangeSource, after sequence: SequenceNumber, in range: KeyRange, hold: LogHold?) {
        self.source = source
        self.hold = hold
        delivered = Locked(sequence)
        reader = Locked(
            ChangeReader(
                source.directory, after: sequence, in: range, maximumValueBytes: source.maximumValueBytes))
    }

    deinit { source.noteConsumed(nil, by: ObjectIdentifier(self)) }

    /// Waits until there may be more than the feed could read.
    ///
    /// - Returns: False if nothing will follow.
    /// - Throws: Why the log ended, if it wasn't closed.
    nonisolated(nonsending) func waitForMore(than readable: ReadableChanges) async throws(StoreError) -> Bool {
        switch readable.end {
        case .closed?: return false
        case .failed(let error)?: throw error
        case nil:
            source.noteConsumed(readable.sequence, by: ObjectIdentifier(self))
            reader.withLock { $0.release() }
            await source.wait(after: readable, by: ObjectIdentifier(self))
            return true
        }
    }

    /// The next page, which may be empty. If it isn't the last, begins to read the one after it.
    ///
    /// - Throws: What the reader throws.
    nonisolated(nonsending) func load() async throws(StoreError) -> Load {
        source.noteConsumed(delivered.withLock { $0 }, by: ObjectIdentifier(self))
        let outcome = await Sleeper<Outcome>.suspend { sleeper in
            let (ready, mustStart) = ahead.withLock { ahead -> (Outcome?, Bool) in
                switch ahead {
                case .loaded(let outcome):
                    ahead = .nothing
                    return (outcome, false)
                case .loading, .nothing:
                    let mustStart = if case .nothing = ahead { true } else { false }
                    ahead = .awaited(sleeper)
                    return (nil, mustStart)
                case .awaited: preconditionFailure("a feed has one consumer")
                }
            }
            if let ready { sleeper.resume(returning: ready) }
            if mustStart { BlockingPool.start { self.readPage() } }
        }
        let load = try outcome.get()
        delivered.withLock { $0 = load.sequence }
        if load.hasMore { readAhead() }
        return load
    }

    private func readAhead() {
        ahead.withLock { $0 = .loading }
        BlockingPool.start { self.readPage() }
    }

    /// Reads a page, and gives it to the consumer.
    private func readPage() {
        let outcome = Outcome { () throws(StoreError) in try read() }
        let sleeper = ahead.withLock { ahead -> Sleeper<Outcome>? in
            if case .awaited(let sleeper) = ahead {
                ahead = .nothing
                return sleeper
            }
            ahead = .loaded(outcome)
            return nil
        }
        sleeper?.resume(returning: outcome)
    }

    private func read() throws(StoreError) -> Load {
        var load = Load()
        load.readable = try source.readable()
        let limit = load.readable.sequence
        try reader.withLock { (reader) throws(StoreError) in
            load.hasMore = try reader.read(upTo: limit, into: &load.page)
            load.sequence = reader.next - 1
            guard load.hasMore || reader.next > limit || !load.readable.isInFiles else {
                throw StoreError(
                    .inputOutput,
                    "the log has no write number \(reader.next), which was accepted: its files were removed or moved",
                    file: source.directory.path)
            }
        }
        if load.hasMore { hold?.advance(to: load.sequence) } else { hold?.release() }
        return load
    }
}
