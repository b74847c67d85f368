internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// The files of a store that another process may write, as feeds follow them: by polling.
final class FilesSource: ChangeSource {
    let directory: LogDirectory
    let maximumValueBytes: Int
    private let level: ChangeLevel
    private let scout: Locked<LogScout>

    /// How often the files are looked at while nothing comes.
    static var interval: Duration { .milliseconds(20) }

    init(_ directory: LogDirectory, _ level: ChangeLevel, maximumValueBytes: Int) {
        (self.directory, self.level, self.maximumValueBytes) = (directory, level, maximumValueBytes)
        scout = Locked(LogScout(directory))
    }

    func readable() throws(StoreError) -> ReadableChanges {
        let sequence = try scout.withLock { (scout) throws(StoreError) in try scout.look(level) }
        // A number that an opening skipped isn't in the files.
        return ReadableChanges(sequence: sequence, isInFiles: false)
    }

    nonisolated(nonsending) func wait(after readable: ReadableChanges, by feed: ObjectIdentifier) async {
        // A cancelled task returns at once, and its feed then ends.
        try? await Task.sleep(for: Self.interval)
    }
}
