internal import HeartwoodFormat
internal import HeartwoodInspection

/// Compares a repaired store and its report with what had been written and what was damaged.
struct RepairJudge {
    private typealias Key = RepairHistory.Key

    private let damaged: DamagedStore
    private let history: RepairHistory
    private let repaired: RepairedStore
    /// The original files that exist, with their present names.
    private var copies: [String: [String]] = [:]
    /// Names of files with an unchanged header.
    private let soundHeaders: Set<String>
    /// Batches all of whose records are unchanged, in files that can be read.
    private var untouched: Set<UInt64> = []

    /// The number of unproven losses.
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

    /// Whether the sound items of a file can be found: its header is sound, or its name and its items replace the
    /// header.
    private func isUsable(_ name: String, _ file: RepairHistory.File, _ origin: String) -> Bool {
        if soundHeaders.contains(name) { return true }
        guard name == origin else { return false }
        let parts = file.isSnapshot ? file.records.map(\.part) : file.batches.values.flatMap { $0 }
        return parts.contains { $0.count < 64 << 10 && damaged.isWhole($0, of: file.bytes, in: name) }
    }

    /// - Throws: `BrokenRule`.
    mutating func judge() throws {
        try checkNothingIsWrong()
        try checkReport()
        try checkWhatIsPresent()
        try checkWhatIsMissing()
    }

    /// Checks only the missing data of a forged store. Nothing else is known of it.
    ///
    /// - Throws: `BrokenRule`.
    mutating func judgeForged() throws {
        isForged = true
        try checkWhatIsMissing()
    }

    // MARK: - R1

    /// Whether a log was renamed whose sequence numbers are known only from its name.
    private var mayBeRenumbered: Bool {
        repaired.report.sources.contains { $0.use == .numberedByName && damaged.origins[$0.name] != $0.name }
    }

    private func checkNothingIsWrong() throws {
        for (key, found) in repaired.contents {
            if mayBeRenumbered, history.hasValue(found.bytes, of: key) { continue }
            try expect(
                history.outcome(of: found.sequence, for: key) == found, .wrong,
                "\(RepairHistory.name(of: key)) has a value of number \(found.sequence) that it never had")
            try expect(
                !history.dead.contains(found.sequence) || !isKnownToBeDead(found.sequence), .wrong,
                "number \(found.sequence) is back, which an opening hadn't recovered")
        }
        for (sequence, records) in repaired.batches where !mayBeRenumbered {
            guard let changes = history.changes[sequence], changes.count == records else {
                throw BrokenRule(.wrong, "number \(sequence) is in the log, with \(records) records")
            }
        }
    }

    /// Whether a file still records the end of the file that has the batch.
    private func isKnownToBeDead(_ sequence: UInt64) -> Bool {
        guard let origin = history.logs.last(where: { (history.files[$0]?.header.firstSequence ?? .max) <= sequence }),
            let salt = history.files[origin]?.header.salt
        else { return false }
        return history.files.contains { name, file in
            file.header.predecessor?.salt == salt && (copies[name] ?? []).contains(where: soundHeaders.contains)
        }
    }

    // MARK: - R2b

    private func checkReport() throws {
        let report = repaired.report
        for loss in report.losses {
            guard let numbers = loss.sequences else { continue }
            if loss.isExact {
                let given = history.changes.keys.lazy.filter(numbers.contains).count
                try expect(
                    numbers.upperBound - numbers.lowerBound < 1 << 32 && given == numbers.count, .falselyReported,
                    "numbers \(numbers) are reported as lost (\(loss.what)); only \(given) were given")
            }
            if let back = repaired.batches.keys.filter(numbers.contains).min() {
                throw BrokenRule(.falselyReported, "numbers \(numbers) are reported as lost, and \(back) is there")
            }
        }
        let hasProven = report.losses.contains(where: \.isProven) || report.lossesNotListed > 0
        try expect(
            (report.certainty == .incomplete) == hasProven, .certainty,
            "it is \(report.certainty), with \(report.losses.count) losses")
        try expect(
            !hasProven || !isWhole, .falselyReported,
            "no file that counts is damaged, and yet: \(report.losses.first?.what ?? "")")
    }

    /// Whether every file that isn't covered is unchanged, under its name.
    private var isWhole: Bool {
        history.files.allSatisfy { name, file in
            file.isCovered || damaged.origins[name] == name && damaged.image.files[name] == file.bytes
        }
    }

    // MARK: - R3

    private func checkWhatIsPresent() throws {
        for sequence in untouched where history.live.contains(sequence) && sequence > repaired.snapshotSequence {
            try expect(repaired.batches[sequence] != nil, .lost, "batch \(sequence) isn't touched, and isn't back")
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
        for (key, sequence) in evidence { try checkIsPresent(key, sequence) }
    }

    private func checkIsPresent(_ key: Key, _ sequence: UInt64) throws {
        if let found = repaired.contents[key] {
            try expect(
                found.sequence >= sequence, .lost,
                "\(RepairHistory.name(of: key)) has number \(found.sequence), and \(sequence) isn't touched")
            return
        }
        guard history.outcome(of: sequence, for: key) != nil else { return }
        // A key that a snapshot doesn't have was removed.
        let through = copies.keys.compactMap { history.files[$0] }.filter(\.isSnapshot).map(\.coveredThrough).max() ?? 0
        let isRemoved = history.changes.contains { other, changes in
            other > sequence && (other <= through || repaired.batches[other] != nil || mayBeRenumbered)
                && history.outcome(of: other, for: key) == nil && changes.contains { $0.key == key }
        }
        try expect(
            isRemoved, .lost,
            "\(RepairHistory.name(of: key)) isn't there, and its record of number \(sequence) isn't touched")
    }

    // MARK: - R2

    private mutating func checkWhatIsMissing() throws {
        var firstUnproven: UInt64?
        for key in Set(repaired.contents.keys).union(history.state.keys) {
            let found = repaired.contents[key]
            guard found != history.state[key] else { continue }
            // Forged data may be another value, a removal, or a time at which values have expired.
            if isForged, let newest = history.newest[key] {
                if found == nil, history.state[key].map({ $0.expires != nil }) ?? false { continue }
                if found.map({ $0.sequence == newest }) ?? (repaired.batches[newest] != nil) { continue }
            }
            guard let newest = history.newest[key] else { continue }
            // A repair restores what a crash left after a tear, although an opening doesn't.
            if let found, found.sequence > newest { continue }
            if found == nil, isRemovedLater(key, newest) { continue }
            if isReported(key, newest) { continue }
            try expect(
                !isProven(newest), .silent,
                "\(RepairHistory.name(of: key)) has \(found.map { "number \($0.sequence)" } ?? "nothing"), "
                    + "not number \(newest), and no loss reports it")
            firstUnproven = min(firstUnproven ?? .max, newest)
        }
        if let firstUnproven {
            unproven += 1
            try checkUncertainty(from: firstUnproven)
        }
        // A forged closing mark closes a log, too.
        try expect(
            repaired.report.certainty != .complete || looksClosed(withTemporary: true) || damaged.isForged, .certainty,
            "it is reported as complete, and the log doesn't end with a closing mark")
    }

    private func isRemovedLater(_ key: Key, _ newest: UInt64) -> Bool {
        repaired.batches.keys.contains { sequence in
            sequence > newest && history.changes[sequence]?.contains { $0.key == key } ?? false
        }
    }

    private func isReported(_ key: Key, _ sequence: UInt64) -> Bool {
        repaired.report.losses.contains { loss in
            loss.sequences?.contains(sequence) ?? false || loss.keyRange?.contains(key) ?? false
                || loss.keys.contains(key)
        }
    }

    /// Whether the remaining files prove that a batch was durable: the header of a later file, a snapshot that covers
    /// it, or a later sync mark in its file.
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

    /// Whether the newest remaining segment ends with a closing mark. Then nothing shows that a newer one existed.
    ///
    /// The items of a file tell that, also if its header is damaged and its name is another's.
    ///
    /// - Parameter withTemporary: Whether to accept a copy in a temporary file.
    private func looksClosed(withTemporary: Bool) -> Bool {
        let logs = copies.filter { history.files[$0.key]?.isSnapshot == false }
        guard let newest = logs.keys.max(), let file = history.files[newest], let last = file.layout?.commits.last
        else {
            return copies.isEmpty
        }
        let names = withTemporary ? Array(damaged.image.files.keys) : logs[newest, default: []]
        return last.header.flags.contains(.closing)
            && names.contains { damaged.isWhole(last.part, of: file.bytes, in: $0) }
    }

    private func checkUncertainty(from sequence: UInt64) throws {
        switch repaired.report.certainty {
        case .incomplete: break
        case .complete:
            try expect(
                looksClosed(withTemporary: false), .certainty,
                "number \(sequence) is gone, and it is reported as complete")
        case .unknownAfter(let path, let offset):
            let name = String(path.split(separator: "/").last ?? "")
            guard let size = damaged.image.files[name]?.count, offset <= UInt64(size) else {
                throw BrokenRule(.certainty, "it can't judge after \(offset) of \(path), which isn't there")
            }
            // In a file with a damaged header, or in a copy, commits may have other offsets.
            guard soundHeaders.contains(name), damaged.origins[name] == name, let file = history.files[name],
                let commit = file.layout?.commits.first(where: { $0.records.contains { $0.sequence == sequence } })
            else { break }
            try expect(
                offset <= UInt64(commit.part.upperBound), .certainty,
                "it can't judge after \(offset) of \(name), and \(sequence) is gone before that")
        }
    }
}
