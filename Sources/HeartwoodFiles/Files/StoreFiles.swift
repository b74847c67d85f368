package import HeartwoodFileSystem
package import HeartwoodFormat

/// The files of a store, each with its part in it: what counts, what is covered, what isn't the store's.
///
/// This is the one judgement of which files a store is made of, and of what is wrong with them. An opening throws the first
/// finding that refuses it; an inspection reports all of them.
package struct StoreFiles {
    /// How much of the files is read.
    package enum Depth: Sendable, Hashable {
        /// What an opening needs where nothing is wrong: no damaged header is put together again, and a snapshot's keys are
        /// read only if other files could serve in its place.
        case opening
        /// All that there is to say of them, and the numbers that are lost with missing files.
        case inspection
    }

    /// What a file is to the store.
    package enum Role: Sendable, Hashable {
        /// The snapshot that an opening begins with.
        case snapshot
        /// A log segment behind it.
        case log
        /// A log segment that the snapshot covers.
        case covered
        /// An older snapshot.
        case older
        /// A snapshot that is damaged.
        case damaged
        /// In preparation, or left over.
        case temporary
        /// Of another store.
        case foreign
        /// Not Heartwood's, or not to be read.
        case other
    }

    package struct Member {
        package var file: DataFile
        package var role: Role
        /// What the next file says of this one.
        package var successor: FileHeader.Predecessor?

        package init(file: DataFile, role: Role, successor: FileHeader.Predecessor? = nil) {
            self.file = file
            self.role = role
            self.successor = successor
        }
    }

    package let path: String
    /// Whether it is one file by itself, judged without its neighbours.
    package let isFile: Bool
    package private(set) var members: [Member] = []
    package private(set) var findings: [Finding] = []
    package let holder: Int32?
    /// The id that most files have.
    package private(set) var storeID: StoreID?
    /// Names that are not Heartwood's.
    package private(set) var others: [String] = []
    /// Snapshots that are damaged, and newer than the one that an opening begins with.
    package private(set) var passedOver: [String] = []
    /// What is named as a snapshot and can't be read as a file.
    private var unusable: [(entry: StoreListing.Entry, finding: Finding)] = []
    private let depth: Depth

    /// Finds out what each file is. O(keys of the snapshots), and what a damaged header costs, or a missing file.
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

    /// - Throws: `StoreError` with `.notFound` where there is nothing of a store: no file of one, and no lock.
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

    /// Why an opening of these files refuses; nil where it goes on to read them.
    package var refusal: Finding? { findings.first(where: \.refusesOpening) }

    // MARK: - Files

    private mutating func add(_ entry: StoreListing.Entry) throws(FileSystemError) {
        switch entry.meaning {
        case .lock:
            guard entry.kind != .file else { return }
            findings.append(
                Finding(
                    .unreadable, file: entry.path, offset: 0,
                    "what has the name of the lock file is no regular file: move it away while no process uses the store",
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
            // What has another name but begins like one of ours is worth knowing: it may have been renamed.
            guard isFile ? data.isOurs : data.header != nil && data.state == .sound else {
                others.append(entry.name)
                return
            }
            members.append(Member(file: data, role: .other))
        }
        judgeHeader(data)
    }

    /// What has a store's name, and no bytes that could be looked at.
    private mutating func noteUnusable(_ entry: StoreListing.Entry) {
        guard entry.meaning != .temporary || entry.failure != nil else { return }
        let name =
            switch entry.meaning {
            case .log: "a log segment"
            case .snapshot: "a snapshot"
            case .temporary, .lock, .keepLog, .other: "a file"
            }
        var finding = Finding(
            .unreadable, file: entry.path, offset: 0, "\(name) is a symbolic link that leads nowhere")
        if let failure = entry.failure {
            finding.what = "\(name) could not be opened: \(failure)"
            finding.failure = (failure, "\(name) could not be opened")
        }
        if let kind = entry.kind, kind != .file {
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
        // A damaged snapshot refuses the opening only where nothing serves in its place.
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

    /// The id that most of the files have is the store's; a rebuilt header's is not evidence.
    ///
    /// - Parameter snapshot: The one that an opening would take. Its id and those of the segments are what is asked for;
    ///   the other snapshots' is only worth knowing.
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
                    "a \(members[index].file.kind == .log ? "log segment" : "snapshot") belongs to another store: its id is \(ids[index]!), and \(most!) of the files here have \(storeID)",
                    refusesOpening: members[index].role == .log || index == snapshot))
            members[index].role = .foreign
        }
    }

    // MARK: - Snapshot and logs

    /// A file by itself is what its header says, whatever its name.
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

    /// Which snapshot counts, and which segments behind it.
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

    /// The snapshot that an opening begins with: the newest that is sound. By their names, as a header may be none.
    ///
    /// - Returns: It, and what is wrong with the newest if that is another one.
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
                // If nothing could serve in its place, damaged keys may as well be found when the index is half built.
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
                    // An opening that can't read it looks for no other one.
                    unusable[index].finding.refusesOpening = true
                }
                (path, meaning) = (entry.path, entry.meaning)
                damage = SnapshotFile.Damage(offset: 0, what: finding.what)
            }
            if position == 0, case .snapshot(let sequence) = meaning {
                newest = ChainCheck.Damaged(path: path, sequence: sequence, damage: damage)
            }
            if damage.isUnsupported { refuse(path, damage) }
            passedOver.append(path)
        }
        findings += unusable.map(\.finding)
        return (chosen, newest)
    }

    /// An opening that comes to a snapshot of a newer version looks for no other one.
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
        // What a snapshot covers isn't lost.
        for gap in gaps where findings[firstFinding + gap.finding].refusesOpening {
            var first = gap.first
            if first == nil { first = try numberAfter(members[logs[gap.next - 1]]) }
            guard let first else { continue }
            // What a file held that is there without a sound header is told with that file.
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
            // One range says what is certain: no number that an opening jumped over.
            if let possible = lost.first, possible.numbers != findings[told].lost {
                findings[told].what += "; it may have held writes from number \(possible.numbers.lowerBound) on"
            }
        }
    }

    /// The number after the last one that a log holds. O(its bytes).
    private func numberAfter(_ member: Member) throws(FileSystemError) -> UInt64 {
        var walk = try LogWalk(member.file, header: member.file.header!, successor: nil)
        while true {
            if case .end(let end) = try walk.next() { return end.nextSequence }
        }
    }
}

extension DataFile {
    /// Whether it begins like a file of a store, if perhaps one of a newer version.
    fileprivate var isOurs: Bool {
        if case .unsupported = state { return true }
        return header != nil
    }
}

extension StoreFiles.Member {
    /// Whether it is named as one of the store's files.
    fileprivate var isStores: Bool {
        switch role {
        case .snapshot, .log, .covered, .older, .damaged, .foreign: true
        case .temporary, .other: false
        }
    }

    /// The number by which it is in order: of a log its first, of a snapshot its last.
    package var sequence: UInt64 {
        guard let header = file.header else { return 0 }
        return header.kind == .log ? header.firstSequence : header.predecessor?.lastSequence ?? 0
    }
}
