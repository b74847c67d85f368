package import HeartwoodFileSystem
package import HeartwoodFormat

/// The files of a store, each with its role: read, covered, or not part of the store.
///
/// This is the only code that decides which files form a store, and what is wrong with them. An opening throws the
/// first finding that refuses it; an inspection reports all of them.
package struct StoreFiles {
    /// How much of the files is read.
    package enum Depth: Sendable, Hashable {
        /// What an opening needs if nothing is wrong: no damaged header is rebuilt, and a snapshot's keys are read only
        /// if other files could replace it.
        case opening
        /// Everything that can be found out, with the numbers that are lost with missing files.
        case inspection
    }

    /// The role of a file in the store.
    package enum Role: String, Sendable {
        /// The snapshot that an opening starts with.
        case snapshot
        /// A log segment after it.
        case log
        /// A log segment that the snapshot covers.
        case covered
        case older = "olderSnapshot"
        /// A damaged snapshot, which isn't read.
        case damaged = "damagedSnapshot"
        /// A file in preparation, or a leftover.
        case temporary
        /// A file of another store.
        case foreign
        /// A file of the store under a name that no store uses.
        case other = "renamed"
    }

    package struct Member {
        package var file: DataFile
        package var role: Role
        /// What the next file's header records about this one.
        package var successor: FileHeader.Predecessor?

        package init(file: DataFile, role: Role, successor: FileHeader.Predecessor? = nil) {
            self.file = file
            self.role = role
            self.successor = successor
        }
    }

    package let path: String
    /// Whether this is a single file, judged without its neighbours.
    package let isFile: Bool
    package private(set) var members: [Member] = []
    package private(set) var findings: [Finding] = []
    package let holder: Int32?
    /// The id that most files have.
    package private(set) var storeID: StoreID?
    /// Names that are not Heartwood's.
    package private(set) var others: [String] = []
    /// Damaged snapshots that are newer than the one that an opening starts with.
    package private(set) var skippedFiles: [String] = []
    /// Entries with a snapshot's name that can't be read as a file.
    private var unusable: [(entry: StoreListing.Entry, finding: Finding)] = []
    private let depth: Depth

    /// Determines the role of each file. O(keys of the snapshots), plus the cost of a damaged header or a missing file.
    package init(_ listing: StoreListing, _ depth: Depth = .inspection) throws(FileSystemError) {
        self.depth = depth
        path = listing.path
        holder = listing.holder
        isFile = listing.isFile
        for entry in listing.entries { try add(entry) }
        if isFile {
            try chooseAlone()
            judgeStoreIDs(nil)
        } else {
            try choose()
        }
    }

    /// - Throws: `StoreError` with `.notFound` if there is nothing of a store: no file of one, and no lock.
    package func checkIsStore(_ listing: StoreListing) throws {
        let hasLock = !listing.isFile && listing.entries.contains { $0.meaning == .lock }
        guard members.isEmpty, findings.isEmpty, !hasLock else { return }
        throw StoreError(
            .notFound,
            isFile
                ? "this is no file of a store: name a log segment, a snapshot, or a store's directory"
                : "there is no file of a store in this directory: check the path", file: path)
    }

    package var logs: [Member] { members.filter { $0.role == .log } }

    /// Why an opening of these files refuses; nil if it continues and reads them.
    package var refusal: Finding? { findings.first(where: \.refusesOpening) }

    // MARK: - Files

    private mutating func add(_ entry: StoreListing.Entry) throws(FileSystemError) {
        switch entry.meaning {
        case .lock:
            guard entry.kind != .file else { return }
            findings.append(
                Finding(
                    .unreadable, file: entry.path, offset: 0,
                    "what has the name of the lock file is no regular file: "
                        + "move it away while no process uses the store",
                    refusesOpening: true))
            return
        case .keepLog: return
        case .other where entry.file == nil:
            others.append(entry.name)
            return
        case .log, .snapshot, .temporary, .other: break
        }
        guard let file = entry.file else { return noteUnusable(entry) }
        let data = try DataFile(entry, file, rebuilds: depth == .inspection)
        switch data.meaning {
        case .log: members.append(Member(file: data, role: .log))
        case .snapshot: members.append(Member(file: data, role: .older))
        case .temporary: members.append(Member(file: data, role: .temporary))
        case .other, .lock, .keepLog:
            // A file with another name but a sound header is reported: it may have been renamed.
            guard isFile ? data.isOurs : data.header != nil && data.state == .sound else {
                others.append(entry.name)
                return
            }
            members.append(Member(file: data, role: .other))
        }
        judgeHeader(data)
    }

    /// Notes an entry that has a store's name but no readable bytes.
    private mutating func noteUnusable(_ entry: StoreListing.Entry) {
        guard entry.meaning != .temporary || entry.failure != nil else { return }
        let name =
            switch entry.meaning {
            case .log: "a log segment"
            case .snapshot: "a snapshot"
            case .temporary, .lock, .keepLog, .other: "a file"
            }
        var finding = Finding(
            .unreadable, file: entry.path, offset: 0, "\(name) was removed while the files were read")
        if let failure = entry.failure {
            finding.what = "\(name) could not be opened: \(failure)"
            finding.failure = (failure, "\(name) could not be opened")
        }
        if entry.kind == .symbolicLink {
            finding.what = "\(name) is a symbolic link, and none is followed in a store's directory"
        } else if let kind = entry.kind, kind != .file {
            let what = kind == .directory ? "a directory" : "a pipe, a socket or a device"
            finding = Finding(.corruption, file: entry.path, offset: 0, "\(what) has the name of \(name)")
        }
        switch entry.meaning {
        case .snapshot: unusable.append((entry, finding))
        case .log:
            finding.refusesOpening = true
            findings.append(finding)
        case .temporary, .lock, .keepLog, .other: findings.append(finding)
        }
    }

    private mutating func judgeHeader(_ data: DataFile) {
        let kind: String
        switch data.meaning {
        case .log: kind = "log segment"
        case .snapshot: kind = "snapshot"
        case .temporary, .lock, .keepLog, .other:
            guard isFile else { return }
            kind = data.kind == .snapshot ? "snapshot" : "log segment"
        }
        guard let what = data.headerProblem(of: kind) else { return }
        var finding = Finding(.corruption, file: data.path, offset: 0, what, cause: data.headerError)
        // A damaged snapshot refuses the opening only if no other files can replace it.
        finding.refusesOpening = kind == "log segment"
        if data.isRepairGuard { return findings.insert(finding, at: 0) }
        switch data.state {
        case .damaged: finding.length = UInt64(FormatConstants.fileHeaderSize)
        case .unsupported:
            finding.severity = .unsupported
            finding.refusesOpening = finding.refusesOpening || isFile
        case .sound, .otherKind, .misplaced: break
        }
        findings.append(finding)
    }

    /// The id that most of the files have is the store's. A rebuilt header's id is no evidence.
    ///
    /// - Parameter snapshot: The one that an opening would take. Only its id and those of the segments must match.
    ///   Another id in other snapshots is only a note.
    private mutating func judgeStoreIDs(_ snapshot: Int?) {
        let ids = members.map { $0.isStores && !$0.file.isRebuilt ? $0.file.header?.storeID : nil }
        let asked = members.indices.filter { ids[$0] != nil && (members[$0].role == .log || $0 == snapshot) }
            .sorted { ($0 == snapshot ? 1 : 0, $0) < ($1 == snapshot ? 1 : 0, $1) }
        let others = members.indices.filter { ids[$0] != nil && members[$0].role != .log && $0 != snapshot }
        var counts: [StoreID: Int] = [:]
        for index in asked.isEmpty ? others : asked { counts[ids[index]!, default: 0] += 1 }
        let most = counts.values.max()
        storeID = (asked + others).lazy.compactMap { ids[$0] }.first { counts[$0] == most }
        guard let storeID else { return }
        for index in asked + others where ids[index] != storeID && members[index].role != .damaged {
            findings.append(
                Finding(
                    .corruption, file: members[index].file.path, offset: 0,
                    "a \(members[index].file.kind == .log ? "log segment" : "snapshot") belongs to another store: its "
                        + "id is \(ids[index]!), and \(most!) of the files here have \(storeID)",
                    refusesOpening: members[index].role == .log || index == snapshot))
            members[index].role = .foreign
        }
    }

    // MARK: - Snapshot and logs

    /// The role of a single file comes from its header, whatever its name.
    private mutating func chooseAlone() throws(FileSystemError) {
        for index in members.indices {
            switch members[index].file.kind {
            case .log?: members[index].role = .log
            case .snapshot?:
                members[index].role = try SnapshotFile.damage(of: members[index].file) == nil ? .snapshot : .damaged
            case nil: break
            }
        }
    }

    /// Decides which snapshot is used, and which segments after it.
    private mutating func choose() throws(FileSystemError) {
        let (chosen, newestDamage) = try chooseSnapshot()
        judgeStoreIDs(chosen)
        let logs = members.indices.filter { members[$0].role == .log && members[$0].file.header != nil }
            .sorted { members[$0].sequence < members[$1].sequence }
        let snapshot = chosen.flatMap { members[$0].role == .foreign ? nil : $0 }
        let chain = ChainCheck(
            logs: logs.map { members[$0].file }, snapshot: snapshot.map { members[$0].file }, damaged: newestDamage)
        let firstFinding = findings.count
        findings += chain.findings
        if let snapshot { members[snapshot].role = .snapshot }
        for (position, index) in logs.enumerated() {
            if position < chain.first { members[index].role = .covered }
            members[index].successor = chain.successors[position]
        }
        if depth == .inspection { try noteLosses(chain.gaps, logs, firstFinding) }
    }

    /// The snapshot that an opening starts with: the newest sound one. Ordered by name, because a header may be
    /// damaged.
    ///
    /// - Returns: The snapshot, and the damage of the newest one if that is another one.
    private mutating func chooseSnapshot() throws(FileSystemError) -> (chosen: Int?, newest: ChainCheck.Damaged?) {
        enum Candidate {
            case member(Int)
            case unusable(Int)
        }
        var candidates = members.indices.filter { members[$0].role == .older }
            .map { (name: members[$0].file.name, candidate: Candidate.member($0)) }
        candidates += unusable.indices.map { (unusable[$0].entry.name, .unusable($0)) }
        candidates.sort { $0.name > $1.name }
        let firstLog = members.filter { $0.role == .log }.min { $0.sequence < $1.sequence }
        let logMayServe = firstLog?.file.header?.predecessor == nil
        var (chosen, newest): (Int?, ChainCheck.Damaged?)
        for (position, (_, candidate)) in candidates.enumerated() where chosen == nil {
            let (path, meaning, damage): (String, StoreFileName, SnapshotFile.Damage)
            switch candidate {
            case .member(let index):
                let file = members[index].file
                // If nothing can replace the snapshot, an opening may find damaged keys later, while it builds the
                // index.
                let readsKeys = depth == .inspection || position + 1 < candidates.count || logMayServe
                guard let found = try SnapshotFile.damage(of: file, readingKeys: readsKeys) else {
                    chosen = index
                    continue
                }
                members[index].role = .damaged
                (path, meaning, damage) = (file.path, file.meaning, found)
            case .unusable(let index):
                let (entry, finding) = unusable[index]
                if finding.severity == .unreadable {
                    // An opening that can't read it doesn't try another one.
                    unusable[index].finding.refusesOpening = true
                }
                (path, meaning) = (entry.path, entry.meaning)
                damage = SnapshotFile.Damage(offset: 0, what: finding.what)
            }
            if position == 0, case .snapshot(let sequence) = meaning {
                newest = ChainCheck.Damaged(path: path, sequence: sequence, damage: damage)
            }
            if damage.isUnsupported { refuse(path, damage) }
            skippedFiles.append(path)
        }
        findings += unusable.map(\.finding)
        return (chosen, newest)
    }

    /// An opening that finds a snapshot of a newer version doesn't try another one.
    private mutating func refuse(_ path: String, _ damage: SnapshotFile.Damage) {
        findings.removeAll { $0.file == path && $0.severity == .unsupported }
        findings.append(
            Finding(
                .unsupported, file: path, offset: damage.offset, "it was written by a newer version of Heartwood",
                cause: damage.cause, refusesOpening: true))
    }

    // MARK: - What is lost with missing files

    private mutating func noteLosses(
        _ gaps: [ChainCheck.Gap], _ logs: [Int], _ firstFinding: Int
    ) throws(FileSystemError) {
        let files = logs.map { members[$0].file }
        let given = GivenNumbers(files.lazy.filter { !$0.isRebuilt }.compactMap(\.header))
        // Numbers that a snapshot covers aren't lost.
        for gap in gaps where findings[firstFinding + gap.finding].refusesOpening {
            var first = gap.first
            if first == nil { first = try numberAfter(members[logs[gap.next - 1]]) }
            guard let first else { continue }
            // A file that exists without a sound header is reported with its own finding.
            let hidden = members.first {
                guard case .damaged = $0.file.state, case .log(let named) = $0.file.meaning, $0.file.header == nil
                else {
                    return false
                }
                return (first..<max(first, members[logs[gap.next]].sequence)).contains(named)
            }
            let told = findings.firstIndex { $0.file == hidden?.file.path } ?? firstFinding + gap.finding
            guard first <= gap.last else { continue }
            let lost = given.lost(in: first...gap.last)
            findings[told].lost = lost.last(where: \.isExact)?.numbers
            // The reported range contains only numbers that are certainly lost, and none that an opening skipped.
            if let possible = lost.first, possible.numbers != findings[told].lost {
                findings[told].what += "; it may have held writes from number \(possible.numbers.lowerBound) on"
            }
        }
    }

    /// The number after the last one in a log. O(its bytes).
    private func numberAfter(_ member: Member) throws(FileSystemError) -> UInt64 {
        var walk = try LogWalk(member.file, header: member.file.header!, successor: nil)
        while true {
            if case .end(let end) = try walk.next() { return end.nextSequence }
        }
    }
}

extension DataFile {
    /// Whether it starts like a file of a store, perhaps of a newer version.
    fileprivate var isOurs: Bool {
        if case .unsupported = state { return true }
        return header != nil
    }
}

extension StoreFiles.Member {
    /// Whether its name is one of the store's.
    fileprivate var isStores: Bool {
        switch role {
        case .snapshot, .log, .covered, .older, .damaged, .foreign: true
        case .temporary, .other: false
        }
    }

    /// The number by which files are ordered: a log's first, a snapshot's last.
    package var sequence: UInt64 {
        guard let header = file.header else { return 0 }
        return header.kind == .log ? header.firstSequence : header.predecessor?.lastSequence ?? 0
    }
}
