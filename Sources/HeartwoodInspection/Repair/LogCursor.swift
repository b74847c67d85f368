internal import HeartwoodFiles
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Reads the batches of a log file in order, whole or not.
struct LogCursor {
    let source: RepairSources.LogSource
    private(set) var current: FoundCommit?
    private(set) var index = 0
    /// Bytes read so far.
    private(set) var position: UInt64 = 0
    /// The newest sequence number that anything in the file mentions.
    private(set) var highest: UInt64 = 0
    /// When the newest commit or sync mark read so far was written.
    private(set) var newestTime: UInt64 = 0
    /// How the file ends; nil until it is read completely.
    private(set) var end: LogEnd?
    private var damages: [LogDamage] = []
    private var walk: LogWalk

    init(_ source: RepairSources.LogSource) throws(FileSystemError) {
        self.source = source
        walk = try LogWalk(source.file, header: source.header, successor: source.successor)
    }

    /// The current batch; nil at the end.
    var batch: FoundBatch? { current.map { $0.batches[index] } }

    /// Moves to the next batch, or to the first at the start.
    mutating func advance() throws {
        if let current, index + 1 < current.batches.count {
            index += 1
            return
        }
        index = 0
        current = nil
        while end == nil, current == nil {
            switch try walk.next() {
            case .commit:
                let commit = walk.commit
                highest = max(highest, commit.nextSequence - 1)
                newestTime = max(newestTime, commit.header.time)
                position = commit.end
                if commit.records.isEmpty { continue }
                var found = FoundCommit(commit, isBehindTear: walk.isBehindTear)
                for (index, error) in try walk.unreadableRecords() {
                    found.records[index].isIntact = false
                    damages.append(LogDamage(unreadable: found.records[index], in: commit, error))
                }
                found.batches = found.records.batches
                current = found
            case .damage(let damage):
                damages.append(damage)
                highest = max(highest, (damage.next ?? 1) - 1, damage.records.last?.sequence ?? 0)
                position = damage.part.upperBound
                if damage.batches.isEmpty { continue }
                current = FoundCommit(damage, isBehindTear: walk.isBehindTear)
            case .end(let end):
                // The rest may contain anything. Leaving it out silently would lose it.
                if case .unsupported(let error, let offset) = end.reason {
                    throw StoreError.newerVersion(error, file: source.file.path, offset: offset)
                }
                self.end = end
                position = source.file.size
            }
        }
    }

    /// Returns the damages found since the last call.
    mutating func takeDamages() -> [LogDamage] {
        defer { damages = [] }
        return damages
    }
}

extension StoreError {
    /// Data of a newer version. Its readable parts must not be taken for all of it.
    static func newerVersion(_ cause: FormatError, file: String, offset: UInt64) -> StoreError {
        StoreError(
            .unsupportedFormat,
            "the file was written by a newer version of Heartwood: repair the store with that version",
            file: file, offset: offset, cause: cause)
    }
}
