public import HeartwoodFiles
package import HeartwoodFileSystem
internal import HeartwoodFormat

/// Reads every byte of a store, or of one of its files, and reports whether it is intact.
///
/// It takes no lock, writes nothing and syncs nothing, so the store may be in use. It waits for data that another
/// process is writing, and never reports it as damage.
public struct Verification: Sendable {
    /// The overall verdict: the worst of the findings.
    public var verdict: Verdict
    /// Everything that was found, in the order of the files.
    public var findings: [Finding]
    /// Files that were read.
    package var files = 0
    /// Bytes that were read and verified.
    public var bytes: UInt64 = 0
    /// Commits in log files, without sync marks.
    package var commits: UInt64 = 0
    /// Records in log files and snapshots.
    package var records: UInt64 = 0
    /// Records whose key begins with the byte 0xFE, as those of repositories do.
    package var repositoryRecords: UInt64 = 0
    /// The newest sequence number; 0 if there is none.
    public var lastSequence: SequenceNumber = 0
    /// How many snapshots were compared with the log that they replaced. A snapshot can be compared only if that log
    /// still exists.
    package var comparedSnapshots = 0
    /// Whether the newest segment ends with a closing mark. False after a crash, and while the store is in use.
    package var isClosed = false
    /// Whether an opening would succeed.
    public var opens: Bool { !findings.contains(where: \.refusesOpening) }

    /// Verifies a store's directory, or one file. O(bytes), in constant memory.
    ///
    /// - Parameters:
    ///   - path: A directory, or a single log segment or snapshot, which is then judged without its neighbours.
    ///   - progress: Called from time to time. An error that it throws ends the work and is thrown.
    /// - Throws: `StoreError` if there is nothing to verify (`.notFound`), or the system can't read the directory.
    public static func run(
        _ path: String, progress: ((InspectionProgress) throws -> Void)? = nil
    ) throws -> Verification {
        try run(path, fileSystem: POSIXFileSystem(), progress: progress)
    }

    /// - Parameter patience: How long to wait for data that may be being written.
    package static func run(
        _ path: String, fileSystem: any FileSystem, patience: LogWalk.Patience = .live,
        progress: ((InspectionProgress) throws -> Void)? = nil
    ) throws -> Verification {
        var attempt = 0
        while true {
            attempt += 1
            do {
                let fileSystem = try fileSystem.boundIfDirectory(path)
                var run = try VerificationRun(path, fileSystem, patience, progress)
                defer { run.listing.close() }
                let result = try run.run()
                // A store that changes while it is read is reported as damaged only if a second reading agrees.
                if result.verdict == .clean || attempt == 3 { return result }
                guard try run.hasChanged() else { return result }
            } catch let error as FileSystemError {
                if error.isNotFound, attempt < 3, try fileSystem.kind(of: path) != nil { continue }
                throw StoreError(error, "the files could not be read")
            }
        }
    }
}

/// One pass over all files.
private struct VerificationRun {
    private let path: String
    private let fileSystem: any FileSystem
    private let patience: LogWalk.Patience
    private let progress: ((InspectionProgress) throws -> Void)?
    private var result = Verification(verdict: .clean, findings: [])
    let listing: StoreListing
    private var newest: LogExamination?

    init(
        _ path: String, _ fileSystem: any FileSystem, _ patience: LogWalk.Patience,
        _ progress: ((InspectionProgress) throws -> Void)?
    ) throws {
        self.patience = patience
        self.path = path
        self.fileSystem = fileSystem
        self.progress = progress
        listing = try StoreListing.at(path, in: fileSystem)
    }

    mutating func run() throws -> Verification {
        let files = try StoreFiles(listing)
        try files.checkIsStore(listing)
        result.findings = files.findings
        let wanted = files.members.filter(\.isRead)
        var meter = ProgressMeter(
            "reading", totalBytes: wanted.reduce(0) { $0 + $1.file.size }, progress)
        let lastLog = files.logs.last?.file.path
        for member in wanted {
            let header = member.file.header!
            result.files += 1
            result.bytes += member.file.size
            do {
                switch header.kind {
                case .log: try examine(member, isNewest: member.file.path == lastLog, &meter)
                case .snapshot: try examine(member.file, header, &meter)
                }
            } catch let error as FileSystemError {
                result.findings.append(
                    Finding(.unreadable, file: member.file.path, offset: 0, "it could not be read: \(error)"))
            }
        }
        if Verdict(result.findings) <= .torn {
            let comparison = try SnapshotComparison.run(files, progress)
            result.comparedSnapshots = comparison.compared
            result.findings += comparison.findings
        }
        result.verdict = Verdict(result.findings)
        return result
    }

    /// The first byte of the keys of repositories, which are in a module that this one doesn't use.
    private static let repositoryByte: UInt8 = 0xFE

    private mutating func examine(
        _ member: StoreFiles.Member, isNewest: Bool, _ meter: inout ProgressMeter
    ) throws {
        var examination = try LogExamination(member, patience: isNewest ? patience : .none, checksValues: true)
        var repositoryRecords: UInt64 = 0
        try examination.run(&meter) { commit in
            repositoryRecords += UInt64(
                commit.records.count { $0.header.keyLength > 0 && commit.keys[$0.keyStart] == Self.repositoryByte })
        }
        result.repositoryRecords += repositoryRecords
        result.findings += examination.findings
        noteSkipped(examination.valuesSkipped, member.file.path)
        result.commits += examination.summary.commits
        result.records += examination.summary.records
        if let last = examination.summary.sequences?.upperBound { result.lastSequence = max(result.lastSequence, last) }
        if isNewest {
            result.isClosed = examination.summary.isClosed
            newest = examination
        }
    }

    private mutating func examine(_ file: DataFile, _ header: FileHeader, _ meter: inout ProgressMeter) throws {
        var examination = try SnapshotExamination(file, header)
        var repositoryRecords: UInt64 = 0
        try examination.run(&meter) { walk, _ in
            repositoryRecords += UInt64(
                walk.records.count { record in
                    guard let start = record.keyStart, record.header.keyLength > 0 else { return false }
                    return walk.keys[start] == Self.repositoryByte
                })
        }
        result.repositoryRecords += repositoryRecords
        result.findings += examination.findings(besides: result.findings)
        result.records += examination.records
        noteSkipped(examination.valuesSkipped, file.path)
        result.lastSequence = max(result.lastSequence, header.predecessor?.lastSequence ?? 0)
    }

    private mutating func noteSkipped(_ values: UInt64, _ path: String) {
        guard values > 0 else { return }
        result.findings.append(
            Finding(
                .note, file: path, offset: 0,
                "\(values) compressed values verify, and were not inflated: "
                    + "they would yield too much for what is stored"
            ))
    }

    /// Whether the store has changed meanwhile.
    func hasChanged() throws -> Bool {
        let now = try StoreListing.at(path, in: fileSystem)
        defer { now.close() }
        if now.entries.map(\.name) != listing.entries.map(\.name) { return true }
        return try newest?.hasGrown() ?? false
    }
}
