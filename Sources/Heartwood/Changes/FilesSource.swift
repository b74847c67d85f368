internal import HeartwoodConcurrency
internal import HeartwoodFormat

/// The files of a store that another process may write, as feeds follow them: by polling.
final class FilesSource: ChangeSource {
    let directory: LogDirectory
    let maximumValueBytes: Int
    private let level: ChangeLevel
    private let position: ChangePosition
    private let state: Locked<State>

    private struct State {
        var scout: LogScout
        /// How often the files were looked at.
        var looks = 0
    }

    /// How often the files are looked at while nothing comes.
    static var interval: Duration { .milliseconds(20) }
    /// After so many looks, a second, a write that a reader has seen is in the files.
    private static var looksForAWrite: Int { 50 }

    init(_ directory: LogDirectory, after position: ChangePosition, _ level: ChangeLevel, maximumValueBytes: Int) {
        (self.directory, self.level, self.maximumValueBytes) = (directory, level, maximumValueBytes)
        self.position = position
        state = Locked(State(scout: LogScout(directory)))
    }

    /// No store in this process shows how far its feeds are.
    func noteConsumed(_ sequence: SequenceNumber?, by feed: ObjectIdentifier) {}

    func readable() throws(StoreError) -> ReadableChanges {
        let sequence = try state.withLock { (state) throws(StoreError) in
            let sequence = try state.scout.look(level)
            state.looks += 1
            // The number before an epoch is that of a store that was opened and has no write since.
            let isEndOfEpoch = (position.sequence &+ 1) % FormatConstants.sequenceEpoch == 0
            if state.looks == Self.looksForAWrite, state.scout.written < position.sequence,
                !isEndOfEpoch || !FormatConstants.sequences.contains(position.sequence)
            {
                throw directory.tooNew(
                    newest: ChangePosition(store: directory.storeID, sequence: state.scout.written))
            }
            return sequence
        }
        // A number that an opening skipped isn't in the files.
        return ReadableChanges(sequence: sequence, isInFiles: false)
    }

    nonisolated(nonsending) func wait(after readable: ReadableChanges, by feed: ObjectIdentifier) async {
        // A cancelled task returns at once, and its feed then ends.
        try? await Task.sleep(for: Self.interval)
    }
}
