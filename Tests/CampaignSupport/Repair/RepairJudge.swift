internal import HeartwoodFormat
internal import HeartwoodInspection

/// Holds a repaired store, and what was said of it, against what had been written and what was damaged.
struct RepairJudge {
    private typealias Key = RepairHistory.Key

    private let damaged: DamagedStore
    private let history: RepairHistory
    private let repaired: RepairedStore
    /// The original files of which there is something, with the names under which it is.
    private var copies: [String: [String]] = [:]
    /// Names of files whose header is as it was.
    private let soundHeaders: Set<String>
    /// Batches all of whose records are as they were, in files that can be read.
    private var untouched: Set<UInt64> = []

    /// What of the losses couldn't be proven.
    private(set) var unproven = 0
    private var isForged = false

    init(_ damaged: DamagedStore, _ repaired: RepairedStore) {
        self.damaged = damaged
        self.repaired = repaired
        history = damaged.history
        soundHeaders = damaged.soundHeaders
        for (name, origin) in damaged.origins { copies[origin, default: []].append(name) }
        for (origin, names) in copies {
            guard let file = history.files[origin] else { continue }
            for name in names where isUsable(name, file, origin) {
                for (sequence, parts) in file.batches where !untouched.contains(sequence) {
                    if parts.allSatisfy({ damaged.isWhole($0, of: file.bytes, in: name) }) {
                        untouched.insert(sequence)
                    }
                }
            }
        }
    }

    /// Whether what verifies in a file can be found: its header is sound, or its name and its items tell what that
    /// said.
    private func isUsable(_ name: String, _ file: RepairHistory.File, _ origin: String) -> Bool {
        if soundHeaders.contains(name) { return true }
        guard name == origin else { return false }
        let parts = file.isSnapshot ? file.records.map(\.part) : file.batches.values.flatMap { $0 }
        return parts.contains { $0.count < 64 << 10 && damaged.isWhole($0, of: file.bytes, in: name) }
    }

    /// - Throws: `BrokenRule`.
    mutating func judge() throws {
        try checkNothingIsWrong()
        try checkWhatIsTold()
        try checkWhatIsThere()
        try checkWhatIsMissing()
    }

    /// What is missing of a store that was forged; what else holds of it isn't known.
    ///
    /// - Throws: `BrokenRule`.
    mutating func judgeForged() throws {
        isForged = true
        try checkWhatIsMissing()
    }

    // MARK: - R1

    /// Whether a log was renamed of which nothing but the name tells the numbers.
    private var mayBeRenumbered: Bool {
        repaired.report.sources.contains { $0.use == .numberedByName && damaged.origins[$0.name] != $0.name }
    }

    private func checkNothingIsWrong() throws {
        for (key, found) in repaired.contents {
            if mayBeRenumbered, history.hasValue(found.value, of: key) { continue }
            guard history.outcome(of: found.sequence, for: key) == found else {
                throw BrokenRule(
                    .wrong, "\(RepairHistory.name(of: key)) has a value of number \(found.sequence) that never was")
            }
            guard !history.dead.contains(found.sequence) || !isKnownToBeDead(found.sequence) else {
                throw BrokenRule(.wrong, "number \(found.sequence) is back, which an opening had passed over")
            }
        }
        for (sequence, records) in repaired.batches where !mayBeRenumbered {
            guard let changes = history.changes[sequence], changes.count == records else {
                throw BrokenRule(.wrong, "number \(sequence) is in the log, with \(records) records")
            }
        }
    }

    /// Whether a file still tells where the one ends that has the batch.
    private func isKnownToBeDead(_ sequence: UInt64) -> Bool {
        guard let origin = history.logs.last(where: { (history.files[$0]?.header.firstSequence ?? .max) <= sequence }),
            let salt = history.files[origin]?.header.salt
        else { return false }
        return history.files.contains { name, file in
            file.header.predecessor?.salt == salt && (copies[name] ?? []).contains(where: soundHeaders.contains)
        }
    }

    // MARK: - R2b

    private func checkWhatIsTold() throws {
        let report = repaired.report
        for loss in report.losses {
            guard let numbers = loss.sequences else { continue }
            if loss.isExact {
                let given = history.changes.keys.lazy.filter(numbers.contains).count
                guard numbers.upperBound - numbers.lowerBound < 1 << 32, given == numbers.count else {
                    throw BrokenRule(
                        .falselyTold, "numbers \(numbers) are told as lost (\(loss.what)); only \(given) were given")
                }
            }
            if let back = repaired.batches.keys.filter(numbers.contains).min() {
                throw BrokenRule(.falselyTold, "numbers \(numbers) are told as lost, and \(back) is there")
            }
        }
        let hasProven = report.losses.contains(where: \.isProven) || report.lossesNotListed > 0
        guard (report.certainty == .incomplete) == hasProven else {
            throw BrokenRule(.certainty, "it is \(report.certainty), with \(report.losses.count) losses")
        }
        guard !hasProven || !isWhole else {
            throw BrokenRule(
                .falselyTold, "no file that counts is damaged, and yet: \(report.losses.first?.what ?? "")")
        }
    }

    /// Whether every file that counts is as it was, under its name.
    private var isWhole: Bool {
        history.files.allSatisfy { name, file in
            file.isCovered || damaged.origins[name] == name && damaged.image.files[name] == file.bytes
        }
    }

    // MARK: - R3

    private func checkWhatIsThere() throws {
        for sequence in untouched where history.live.contains(sequence) && sequence > repaired.snapshotSequence {
            guard repaired.batches[sequence] != nil else {
                throw BrokenRule(.lost, "batch \(sequence) isn't touched, and isn't back")
            }
        }
        var evidence: [Key: UInt64] = [:]
        for sequence in untouched where history.live.contains(sequence) {
            for change in history.changes[sequence] ?? [] {
                evidence[change.key] = max(evidence[change.key] ?? 0, sequence)
            }
        }
        for (origin, names) in copies {
            guard let file = history.files[origin], file.isSnapshot else { continue }
            for name in names where isUsable(name, file, origin) {
                for record in file.records where record.sequence > evidence[record.key] ?? 0 {
                    if damaged.isWhole(record.part, of: file.bytes, in: name) { evidence[record.key] = record.sequence }
                }
            }
        }
        for (key, sequence) in evidence { try checkIsThere(key, sequence) }
    }

    private func checkIsThere(_ key: Key, _ sequence: UInt64) throws {
        if let found = repaired.contents[key] {
            guard found.sequence >= sequence else {
                throw BrokenRule(
                    .lost,
                    "\(RepairHistory.name(of: key)) has number \(found.sequence), and \(sequence) isn't touched")
            }
            return
        }
        guard history.outcome(of: sequence, for: key) != nil else { return }
        // A snapshot tells that the key was removed by what it doesn't hold.
        let through = copies.keys.compactMap { history.files[$0] }.filter(\.isSnapshot).map(\.coveredThrough).max() ?? 0
        let isRemoved = history.changes.contains { other, changes in
            other > sequence && (other <= through || repaired.batches[other] != nil || mayBeRenumbered)
                && history.outcome(of: other, for: key) == nil && changes.contains { $0.key == key }
        }
        guard isRemoved else {
            throw BrokenRule(
                .lost, "\(RepairHistory.name(of: key)) isn't there, and its record of number \(sequence) isn't touched")
        }
    }

    // MARK: - R2

    private mutating func checkWhatIsMissing() throws {
        var firstUnproven: UInt64?
        for key in Set(repaired.contents.keys).union(history.state.keys) {
            let found = repaired.contents[key]
            guard found != history.state[key] else { continue }
            // What was forged is what its checksum says: another value, a removal, or a time at which values have
            // expired.
            if isForged, let newest = history.newest[key] {
                if found == nil, history.state[key].map({ $0.expires > 0 }) ?? false { continue }
                if found.map({ $0.sequence == newest }) ?? (repaired.batches[newest] != nil) { continue }
            }
            guard let newest = history.newest[key] else { continue }
            // What a crash has left after a tear comes back, although an opening passes it over.
            if let found, found.sequence > newest { continue }
            if found == nil, isRemovedLater(key, newest) { continue }
            if isTold(key, newest) { continue }
            guard !isProven(newest) else {
                throw BrokenRule(
                    .silent,
                    "\(RepairHistory.name(of: key)) has \(found.map { "number \($0.sequence)" } ?? "nothing"), "
                        + "not number \(newest), and nothing tells of it")
            }
            firstUnproven = min(firstUnproven ?? .max, newest)
        }
        if let firstUnproven { unproven += 1; try checkUncertainty(from: firstUnproven) }
        // A forged mark closes a log, too.
        guard repaired.report.certainty != .complete || looksClosed(asRebuilt: true) || damaged.isForged else {
            throw BrokenRule(.certainty, "all is said to be accounted for, and the log doesn't end with a closing mark")
        }
    }

    private func isRemovedLater(_ key: Key, _ newest: UInt64) -> Bool {
        repaired.batches.keys.contains { sequence in
            sequence > newest && history.changes[sequence]?.contains { $0.key == key } ?? false
        }
    }

    private func isTold(_ key: Key, _ sequence: UInt64) -> Bool {
        repaired.report.losses.contains { loss in
            loss.sequences?.contains(sequence) ?? false || loss.keyRange?.contains(key) ?? false
                || loss.keys.contains(key)
        }
    }

    /// Whether what is left proves that a batch was durable: a header of a later file, a snapshot that holds it, or a
    /// later mark of its file.
    private func isProven(_ sequence: UInt64) -> Bool {
        for (origin, names) in copies {
            guard let file = history.files[origin] else { continue }
            for name in names {
                if soundHeaders.contains(name) {
                    if file.coveredThrough >= sequence { return true }
                    if !file.isSnapshot, file.header.firstSequence > sequence { return true }
                    if isMarked(sequence, in: file, name) { return true }
                } else if file.isSnapshot, name == origin, file.coveredThrough >= sequence {
                    return true
                }
            }
        }
        return false
    }

    private func isMarked(_ sequence: UInt64, in file: RepairHistory.File, _ name: String) -> Bool {
        guard let offset = file.batches[sequence]?.map(\.lowerBound).max(), let layout = file.layout else {
            return false
        }
        return layout.commits.contains { commit in
            commit.header.syncedMark > UInt64(offset)
                && damaged.isWhole(
                    commit.part.lowerBound..<(commit.part.lowerBound + 48), of: file.bytes, in: name)
        }
    }

    /// Whether the newest segment that is left ends as one that was closed: then nothing tells of a newer one.
    ///
    /// - Parameter asRebuilt: Also where its header is damaged, or where it is left in a file in preparation.
    private func looksClosed(asRebuilt: Bool) -> Bool {
        let logs = copies.filter { history.files[$0.key]?.isSnapshot == false }
        guard let newest = logs.keys.max(), let file = history.files[newest], let last = file.layout?.commits.last
        else {
            return copies.isEmpty
        }
        let names = asRebuilt ? Array(damaged.image.files.keys) : logs[newest, default: []]
        return last.header.flags.contains(.closing)
            && names.contains { name in
                (asRebuilt || name == newest || soundHeaders.contains(name))
                    && damaged.isWhole(last.part, of: file.bytes, in: name)
            }
    }

    private func checkUncertainty(from sequence: UInt64) throws {
        switch repaired.report.certainty {
        case .incomplete: break
        case .complete:
            guard looksClosed(asRebuilt: false) else {
                throw BrokenRule(.certainty, "number \(sequence) is gone, and all is said to be accounted for")
            }
        case .unknownAfter(let path, let offset):
            let name = String(path.split(separator: "/").last ?? "")
            guard let size = damaged.image.files[name]?.count, offset <= UInt64(size) else {
                throw BrokenRule(.certainty, "it can't judge after \(offset) of \(path), which isn't there")
            }
            // In a file whose header is damaged, or that is a copy, commits may lie elsewhere.
            guard soundHeaders.contains(name), damaged.origins[name] == name, let file = history.files[name],
                let commit = file.layout?.commits.first(where: { $0.records.contains { $0.sequence == sequence } })
            else { break }
            guard offset <= UInt64(commit.part.upperBound) else {
                throw BrokenRule(
                    .certainty, "it can't judge after \(offset) of \(name), and \(sequence) is gone before")
            }
        }
    }
}
