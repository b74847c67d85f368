internal import HeartwoodFiles
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// One repair: chooses a base snapshot, and passes everything that verifies to a sink.
struct RepairRun {
    private let options: RepairOptions
    private let progress: ProgressMeter.Report?
    private let listing: StoreListing
    private var sources: RepairSources

    init(
        _ path: String, _ options: RepairOptions, _ fileSystem: any FileSystem, _ progress: ProgressMeter.Report?
    ) throws {
        guard try fileSystem.kind(of: path) == .directory else {
            throw StoreError(.notFound, "there is no directory here: check the path", file: path)
        }
        self.options = options
        self.progress = progress
        let fileSystem = try fileSystem.bound(to: path)
        listing = try Self.list(path, in: fileSystem)
        sources = try RepairSources(listing, options)
        let isEmpty = sources.logs.isEmpty && sources.snapshots.isEmpty && sources.unreadable.isEmpty
        guard !isEmpty || !sources.report.losses.isEmpty else {
            listing.close()
            guard let wanted = options.storeID, let other = sources.others.first else {
                throw StoreError(.notFound, "there is no file of a store here: check the path", file: path)
            }
            throw StoreError(
                .notFound,
                "there is no file of the store \(wanted) here, but of \(other): check the path and --store-id; a "
                    + "repaired store has an id of its own",
                file: path)
        }
    }

    func close() { listing.close() }

    /// The files of the store. If a repair in place was interrupted, these are the old files, in whichever directory
    /// they are.
    private static func list(_ path: String, in fileSystem: any FileSystem) throws -> StoreListing {
        let listing = try StoreListing(path, foreign: true, in: fileSystem)
        guard let exchange = try Exchange(interruptedIn: path, fileSystem) else { return listing }
        let aside = path + "/" + exchange.files.aside
        let movedOut =
            try fileSystem.kind(of: aside) == .directory
            ? StoreListing(aside, foreign: true, in: fileSystem).entries : []
        return listing.leavingOut(try exchange.movedIn().union([RepairGuard.name]), adding: movedOut)
    }

    /// The snapshot that the new store begins with.
    private struct Base {
        var source: RepairSources.SnapshotSource
        /// If it is damaged: older ones that may have the data that it has lost.
        var older: [RepairSources.SnapshotSource]?
    }

    mutating func run(into sink: inout some HistorySink, _ store: NewStore?) throws -> RepairReport {
        let base = try chooseBase()
        try checkLimit(base)
        var report = sources.report
        report.highestSequence = sources.highestKnown
        if let base { try write(base, to: store, &report) }
        let sequence = base?.source.end.lastSequence ?? 0
        report.snapshotSequence = base?.source.end.lastSequence
        var history = History(sources, after: sequence, options, report)
        var meter = ProgressMeter(store == nil ? "reading" : "writing", totalBytes: logBytes, progress)
        try history.run(into: &sink, &meter)
        report = history.report
        if !history.reachedLimit { noteUnreadable(after: history.lastAccounted, &report) }
        report.judge(
            end: history.reachedLimit ? nil : openEnd(history),
            unreadable: history.reachedLimit ? nil : sources.unreadable.first?.path ?? sources.foreign)
        noteUses(base, &report)
        if options.upToSequence != nil || options.upToTime != nil {
            report.highestSequence = report.lastSequence
            report.newestTime = 0
        }
        return report
    }

    private var logBytes: UInt64 { sources.logs.reduce(0) { $0 + $1.file.size } }

    // MARK: - The base

    private func isWanted(_ snapshot: RepairSources.SnapshotSource) -> Bool {
        if let limit = options.upToSequence, snapshot.end.lastSequence > limit { return false }
        if let limit = options.upToTime, snapshot.header.creationTime > limit { return false }
        return true
    }

    /// Chooses the newest whole snapshot. Chooses a newer, damaged one only if the log does not have the data between
    /// the two.
    private mutating func chooseBase() throws -> Base? {
        let candidates = sources.snapshots.filter(isWanted)
        var damaged: [RepairSources.SnapshotSource] = []
        var whole: RepairSources.SnapshotSource?
        var meter = ProgressMeter("reading", totalBytes: candidates.reduce(0) { $0 + $1.file.size }, progress)
        for candidate in candidates {
            var examination = try SnapshotExamination(candidate.file, candidate.header)
            try examination.run(&meter)
            if let newer = examination.findings.first(where: { $0.severity == .unsupported }), let cause = newer.cause {
                throw StoreError.newerVersion(cause, file: newer.file, offset: newer.offset)
            }
            if examination.findings.isEmpty, !candidate.file.isRebuilt {
                whole = candidate
                break
            }
            // A temporary file was never complete, and all of its data is elsewhere too.
            if candidate.file.meaning != .temporary { damaged.append(candidate) }
        }
        let fallback = whole.map { Base(source: $0) }
        guard let newest = damaged.first else { return fallback }
        if try isAccounted(after: whole?.end.lastSequence ?? 0, upTo: newest.end.lastSequence) { return fallback }
        return Base(source: newest, older: Array(damaged.dropFirst()) + (whole.map { [$0] } ?? []))
    }

    /// Whether the segments have every batch after a number, up to another one.
    private func isAccounted(after base: UInt64, upTo limit: UInt64) throws -> Bool {
        var report = RepairReport()
        report.highestSequence = limit
        var history = History(sources, after: base, RepairOptions(), report)
        var sink = NullSink()
        var reading = ProgressMeter("reading", totalBytes: logBytes, progress)
        try history.run(into: &sink, &reading)
        return history.report.lossesNotListed == 0
            && !history.report.losses.contains { $0.sequences.map { $0.lowerBound <= limit } ?? false }
    }

    /// Refuses a state that is older than the oldest one that the files have.
    private func checkLimit(_ base: Base?) throws {
        guard options.upToSequence != nil || options.upToTime != nil, base == nil else { return }
        let beginsLater = sources.logs.first.map { $0.header.predecessor != nil } ?? true
        guard beginsLater else { return }
        let oldest =
            sources.snapshots.last.map { "number \($0.end.lastSequence)" } ?? "what the first segment begins with"
        throw StoreError(
            .invalidArgument,
            "that state no longer exists: what came before it is compacted, "
                + "and the oldest state that is here is \(oldest)"
        )
    }

    /// Writes what is left of a snapshot, and older records in place of those that it has lost.
    private func write(_ base: Base, to store: NewStore?, _ report: inout RepairReport) throws {
        let source = base.source
        var standIns: StandIns?
        let read = base.older?.reduce(source.file.size + logBytes) { $0 + $1.file.size } ?? 0
        var meter = ProgressMeter("reading", totalBytes: read, progress)
        if let older = base.older {
            let damaged = try DamagedBase.of(source, &meter)
            for loss in damaged.losses { report.add(loss) }
            standIns = StandIns(damaged, of: source, from: older, sources)
        } else if store == nil {
            report.snapshotKeys = try SnapshotExamination(source.file, source.header).footer?.recordCount ?? 0
            return
        }
        var writing = ProgressMeter("writing", totalBytes: source.file.size, progress)
        var windows: [String: FileWindow] = [:]
        func add(_ record: FoundRecord, _ key: ArraySlice<UInt8>, of file: DataFile, _ output: SnapshotOutput?) throws {
            report.snapshotKeys += 1
            if windows[file.path] == nil { windows[file.path] = try FileWindow(file.file) }
            try output?.add(record, key: key, from: &windows[file.path]!)
        }
        func addStandIns(before key: ArraySlice<UInt8>?, _ output: SnapshotOutput?) throws {
            while let (key, standIn) = try standIns?.next(before: key, &meter) {
                report.olderValues += 1
                try add(standIn.record, key[...], of: standIn.file, output)
            }
            if let key { standIns?.skip(key) }
        }
        func merge(_ output: SnapshotOutput?) throws {
            var examination = try SnapshotExamination(source.file, source.header)
            try examination.run(&writing) { walk, _ in
                for record in walk.records {
                    let key = walk.key(of: record)
                    try addStandIns(before: key, output)
                    try add(record, key, of: source.file, output)
                }
            }
            try addStandIns(before: nil, output)
        }
        guard let store else { return try merge(nil) }
        try store.writeSnapshot(upTo: source.end.lastSequence, time: source.header.creationTime) { try merge($0) }
    }

    // MARK: - The report

    /// Where the log ends; nil if it is proven that nothing followed.
    private func openEnd(_ history: History) -> (file: String, offset: UInt64)? {
        if sources.logs.allSatisfy(\.isInPreparation), let snapshot = sources.snapshots.first {
            return (snapshot.file.path, snapshot.file.size)
        }
        return history.openEnd
    }

    /// Notes what must have followed the last batch, in files that are missing or of which nothing verifies.
    private func noteUnreadable(after last: UInt64, _ report: inout RepairReport) {
        // A snapshot gets its name only after a segment that follows it exists.
        if let newest = sources.snapshots.first(where: { !$0.file.isRebuilt }),
            !sources.logs.contains(where: {
                $0.header.firstSequence > newest.end.lastSequence && !$0.isInPreparation
            })
        {
            report.add(
                Self.openLoss(
                    after: max(last, newest.end.lastSequence), "the segment that followed a snapshot is missing",
                    newest.file.path, isProven: true))
        }
        for (name, path) in sources.unreadable {
            switch name {
            case .log(let first) where first > last:
                report.add(Self.openLoss(after: last, "nothing in this segment verifies", path, isProven: false))
            case .snapshot(let sequence) where sequence > last:
                var loss = Self.openLoss(after: last, "nothing in this snapshot verifies", path, isProven: false)
                loss.sequences = last + 1...sequence
                report.add(loss)
            case .log, .snapshot, .temporary, .lock, .keepLog, .other: break
            }
        }
    }

    /// A loss of everything that may have been written after a number.
    private static func openLoss(
        after last: UInt64, _ what: String, _ path: String, isProven: Bool
    ) -> RepairReport.Loss {
        let end = FormatConstants.possibleSequences.upperBound
        var loss = RepairReport.Loss(
            what: what, file: path, offset: 0, sequences: min(last + 1, end)...end)
        loss.isExact = false
        loss.isProven = isProven
        return loss
    }

    private func noteUses(_ base: Base?, _ report: inout RepairReport) {
        let sequence = base?.source.end.lastSequence ?? 0
        for snapshot in sources.snapshots {
            let isBase = snapshot.file.path == base?.source.file.path
            let isOlder = snapshot.end.lastSequence < sequence
            report.note(snapshot.file, isBase ? .used : isOlder ? .covered : .leftOver)
        }
        for (index, log) in sources.logs.enumerated() {
            let next = index + 1 < sources.logs.count ? sources.logs[index + 1].header.firstSequence : UInt64.max
            let used = log.file.isNumberedByName ? RepairReport.Source.Use.numberedByName : .used
            report.note(log.file, next <= sequence + 1 ? .covered : used)
        }
        report.sources.sort { $0.name < $1.name }
    }
}
