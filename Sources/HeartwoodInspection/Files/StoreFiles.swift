internal import Heartwood
package import HeartwoodFileSystem
package import HeartwoodFormat

/// The files of a store, each with its part in it: what counts, what is covered, what isn't the store's.
package struct StoreFiles {
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

    /// Finds out what each file is. O(keys of the snapshots), and what a damaged header costs.
    package init(_ listing: StoreListing) throws(FileSystemError) {
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
    func checkIsStore(_ listing: StoreListing) throws {
        let hasLock = !listing.isFile && listing.entries.contains { $0.meaning == .lock }
        guard members.isEmpty, findings.isEmpty, !hasLock else { return }
        throw StoreError(
            .notFound,
            isFile
                ? "this is no file of a store: name a log segment, a snapshot, or a store's directory"
                : "there is no file of a store in this directory: check the path", file: path)
    }

    package var logs: [Member] { members.filter { $0.role == .log } }

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
        case .other where entry.file == nil:
            others.append(entry.name)
            return
        case .log, .snapshot, .temporary, .other: break
        }
        if let failure = entry.failure {
            findings.append(
                Finding(
                    .unreadable, file: entry.path, offset: 0, "it could not be opened: \(failure)",
                    refusesOpening: true))
            return
        }
        guard let file = entry.file else {
            guard entry.meaning != .temporary else { return }
            guard let kind = entry.kind else {
                findings.append(
                    Finding(
                        .unreadable, file: entry.path, offset: 0, "it is a symbolic link that leads nowhere",
                        refusesOpening: true))
                return
            }
            let what = kind == .directory ? "a directory" : "a pipe, a socket or a device"
            findings.append(
                Finding(
                    .corruption, file: entry.path, offset: 0, "\(what) has the name of a file of the store",
                    refusesOpening: true))
            return
        }
        let data = try DataFile(entry, file)
        switch data.meaning {
        case .log: members.append(Member(file: data, role: .log))
        case .snapshot: members.append(Member(file: data, role: .older))
        case .temporary: members.append(Member(file: data, role: .temporary))
        case .other, .lock:
            // What has another name but begins like one of ours is worth knowing: it may have been renamed.
            guard isFile ? data.isOurs : data.header != nil && data.state == .sound else {
                others.append(entry.name)
                return
            }
            members.append(Member(file: data, role: .other))
        }
        judgeHeader(data)
    }

    private mutating func judgeHeader(_ data: DataFile) {
        let name: String
        switch data.meaning {
        case .log: name = "log segment"
        case .snapshot: name = "snapshot"
        case .temporary, .lock, .other:
            guard isFile else { return }
            name = data.kind == .snapshot ? "snapshot" : "log segment"
        }
        // A damaged snapshot refuses the opening only where nothing serves in its place.
        let isLog = name == "log segment"
        switch data.state {
        case .sound: break
        case .damaged where data.isRepairGuard:
            findings.insert(
                Finding(.corruption, file: data.path, offset: 0, RepairGuard.message, refusesOpening: true), at: 0)
        case .damaged(let error):
            findings.append(
                Finding(
                    .corruption, file: data.path, offset: 0, length: UInt64(FormatConstants.fileHeaderSize),
                    "the header of a \(name) is damaged", cause: error, refusesOpening: isLog))
        case .unsupported(let error):
            findings.append(
                Finding(
                    .unsupported, file: data.path, offset: 0, "it was written by a newer version of Heartwood",
                    cause: error, refusesOpening: isLog || isFile))
        case .otherKind:
            findings.append(
                Finding(
                    .corruption, file: data.path, offset: 0, "a file named as a \(name) is none", refusesOpening: isLog)
            )
        case .misplaced(let expected):
            findings.append(
                Finding(
                    .corruption, file: data.path, offset: 0,
                    "a \(name) is misplaced: by its header its name should be \(expected); it was renamed, swapped or copied",
                    refusesOpening: isLog))
        }
    }

    /// The id that most of the files have is the store's; a rebuilt header's is not evidence.
    ///
    /// - Parameter snapshot: The one that an opening would take. Its id and those of the segments are what is asked for;
    ///   the other snapshots' is only worth knowing.
    private mutating func judgeStoreIDs(_ snapshot: Int?) {
        let ids = members.map { $0.isStores && !$0.file.isRebuilt ? $0.file.header?.storeID : nil }
        let asked = members.indices.filter { ids[$0] != nil && (members[$0].role == .log || $0 == snapshot) }
            .sorted { ($0 == snapshot ? 1 : 0, $0) < ($1 == snapshot ? 1 : 0, $1) }
        let others = members.indices.filter { ids[$0] != nil && !asked.contains($0) }
        var counts: [StoreID: Int] = [:]
        for index in asked.isEmpty ? others : asked { counts[ids[index]!, default: 0] += 1 }
        let most = counts.values.max()
        storeID = (asked + others).lazy.compactMap { ids[$0] }.first { counts[$0] == most }
        guard let storeID else { return }
        for index in asked + others where ids[index] != storeID && members[index].role != .damaged {
            members[index].role = .foreign
            findings.append(
                Finding(
                    .corruption, file: members[index].file.path, offset: 0,
                    "it belongs to another store: its id is \(ids[index]!), and \(most!) of the files here have \(storeID)",
                    refusesOpening: asked.contains(index)))
        }
    }

    // MARK: - Snapshot and logs

    /// A file by itself is what its header says, whatever its name.
    private mutating func chooseAlone() throws(FileSystemError) {
        for index in members.indices {
            switch members[index].file.kind {
            case .log?: members[index].role = .log
            case .snapshot?:
                members[index].role = try SnapshotKeys.damage(of: members[index].file) == nil ? .snapshot : .damaged
            case nil: break
            }
        }
    }

    /// Which snapshot counts, and which segments behind it.
    private mutating func choose() throws(FileSystemError) {
        // By their names, as an opening does: a header may be none.
        let snapshots = members.indices.filter { members[$0].role == .older }
            .sorted { members[$0].file.name > members[$1].file.name }
        var newestDamage: (DataFile, SnapshotKeys.Damage)?
        var chosen: Int?
        for index in snapshots {
            guard let damage = try SnapshotKeys.damage(of: members[index].file) else {
                chosen = index
                break
            }
            if index == snapshots.first { newestDamage = (members[index].file, damage) }
            if damage.isUnsupported { refuse(members[index].file, damage) }
            members[index].role = .damaged
        }
        judgeStoreIDs(chosen)
        let logs = members.indices.filter { members[$0].role == .log && members[$0].file.header != nil }
            .sorted { members[$0].sequence < members[$1].sequence }
        let snapshot = chosen.flatMap { members[$0].role == .foreign ? nil : $0 }
        let chain = ChainCheck(
            logs: logs.map { members[$0].file }, snapshot: snapshot.map { members[$0].file }, damaged: newestDamage)
        findings += chain.findings
        if let snapshot { members[snapshot].role = .snapshot }
        for (position, index) in logs.enumerated() {
            if position < chain.first { members[index].role = .covered }
            members[index].successor = chain.successors[position]
        }
    }

    /// An opening that comes to a snapshot of a newer version looks for no other one.
    private mutating func refuse(_ file: DataFile, _ damage: SnapshotKeys.Damage) {
        findings.removeAll { $0.file == file.path && $0.severity == .unsupported }
        findings.append(
            Finding(
                .unsupported, file: file.path, offset: damage.offset,
                "it was written by a newer version of Heartwood", cause: damage.cause, refusesOpening: true))
    }
}

extension SnapshotKeys.Damage {
    /// Whether it is no damage, but what a newer version wrote.
    var isUnsupported: Bool {
        if case .unsupported? = cause { true } else { false }
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
