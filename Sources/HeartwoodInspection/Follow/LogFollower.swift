internal import HeartwoodFiles
internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Follows the log of a store that is in use: reports commits as they are written, from segment to segment.
///
/// It sees only what the process has written to the file, not what the process still buffers. If the tail is torn, it
/// waits, because the tail may be a commit that is being written.
struct LogFollower {
    private let path: String
    private let fileSystem: any FileSystem
    private var reader: LogReader
    private var current: DataFile?
    private static let pauseNanoseconds = 100_000_000

    init(_ path: String, _ fileSystem: any FileSystem, reader: LogReader, after current: StoreFiles.Member?) {
        self.path = path
        self.fileSystem = fileSystem
        self.reader = reader
        self.current = current?.file
    }

    mutating func run(_ isStopped: () -> Bool, _ body: (LogItem) throws -> Bool) throws {
        // A single file can be followed too; it has no successor.
        let isDirectory = try fileSystem.kind(of: path) == .directory
        while !isStopped() {
            if isDirectory, let next = try nextSegment() {
                guard try take(next, body) else { return }
                continue
            }
            try reader.refresh(successor: nil)
            guard try reader.resume(body) else { return }
            pauseThread(nanoseconds: Self.pauseNanoseconds)
        }
    }

    /// The next segment, if it exists: the one with the next greater number in its name.
    private func nextSegment() throws(FileSystemError) -> DataFile? {
        let last = current?.header?.firstSequence ?? 0
        for name in try fileSystem.contents(ofDirectory: path) {
            let meaning = StoreFileName(name)
            guard case .log(let first) = meaning, first > last else { continue }
            do throws(FileSystemError) {
                var entry = StoreListing.Entry(name: name, path: path + "/" + name, meaning: meaning)
                let file = try fileSystem.openFile(entry.path, for: .read)
                entry.size = try file.size()
                return try DataFile(entry, file)
            } catch {
                // Compaction removed the file after the listing.
                if error.isNotFound { continue }
                throw error
            }
        }
        return nil
    }

    /// Reads the current segment to its end, and continues with the next.
    private mutating func take(_ next: DataFile, _ body: (LogItem) throws -> Bool) throws -> Bool {
        guard let header = next.header else {
            throw StoreError(
                .corruption, "the header of a log segment is damaged: see 'heartwood verify'", file: next.path,
                offset: 0,
                cause: next.damage)
        }
        if let predecessor = header.predecessor, predecessor.salt == current?.header?.salt {
            try reader.refresh(successor: predecessor)
            guard try reader.resume(body) else { return false }
        } else if let before = header.predecessor, let expected = reader.nextSequence, before.lastSequence >= expected {
            let gone = Finding(
                .note, file: next.path, offset: 0,
                "writes number \(expected) to \(before.lastSequence) were compacted before they could be read")
            guard try body(.skipped(gone)) else { return false }
        }
        try? current?.file.close()
        current = next
        return try reader.read(StoreFiles.Member(file: next, role: .log), isNewest: true, body)
    }
}
