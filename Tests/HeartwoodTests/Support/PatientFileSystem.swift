import HeartwoodCampaignSupport
import HeartwoodConcurrency
import HeartwoodFileSystem

/// A file system whose files say, as a test decides, that a read would have to wait for the disk. It counts the reads
/// that wait and those that don't.
final class PatientFileSystem: ForwardingFileSystem {
    struct Counts: Sendable, Equatable {
        var waiting = 0
        var immediate = 0
        var refused = 0
    }

    let base: any FileSystem
    fileprivate let counts = Locked(Counts())
    /// Whether a read may wait, by the number of such a question.
    fileprivate let mustWait: @Sendable (Int) -> Bool

    init(_ base: any FileSystem, mustWait: @escaping @Sendable (Int) -> Bool) {
        self.base = base
        self.mustWait = mustWait
    }

    /// The reads that `body` does.
    func counting(_ body: () async throws -> Void) async throws -> Counts {
        counts.withLock { $0 = Counts() }
        try await body()
        return counts.withLock { $0 }
    }

    func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        PatientFile(base: try base.openFile(path, for: access), system: self)
    }
}

private final class PatientFile: ForwardingFile {
    let base: any File
    private let system: PatientFileSystem

    init(base: any File, system: PatientFileSystem) {
        self.base = base
        self.system = system
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        system.counts.withLock { $0.waiting += 1 }
        return try base.read(into: buffer, at: offset)
    }

    func readNow(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int? {
        let number = system.counts.withLock { $0.immediate + $0.refused }
        if system.mustWait(number) {
            system.counts.withLock { $0.refused += 1 }
            return nil
        }
        system.counts.withLock { $0.immediate += 1 }
        return try base.readNow(into: buffer, at: offset)
    }

    func map(_ count: UInt64) throws(FileSystemError) -> (any FileMapping)? { try base.map(count) }
}
