internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// One repair: decides what to begin with, and gives all that verifies to a sink.
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
        listing = try StoreListing(path, foreign: true, in: fileSystem)
        sources = try RepairSources(listing, options)
        guard !sources.logs.isEmpty || !sources.snapshots.isEmpty || !sources.report.losses.isEmpty else {
            listing.close()
            throw StoreError(.notFound, "there is no file of a store here: check the path", file: path)
        }
    }

    func close() { listing.close() }

    /// What the new store begins with.
    private enum Base {
        case nothing
        case whole(RepairSources.SnapshotSource)
        /// The damaged one, and older ones that may have what it has lost.
        case damaged(RepairSources.SnapshotSource, older: [RepairSources.SnapshotSource])

        var source: RepairSources.SnapshotSource? {
            switch self {
            case .nothing: nil
            case .whole(let source), .damaged(let source, _): source
            }
        }
    }

    mutating func run(into sink: inout some HistorySink, _ store: NewStore?) throws -> RepairReport {
        let base = try chooseBase()
        try checkLimit(base)
        var report = sources.report
        report.highestSequence = sources.highestKnown
        switch base {
        case .nothing: break
        case .whole(let source): try write(source, to: store, &report)
        case .damaged(let source, let older): try write(source, older, to: store, &report)
        }
        let sequence = base.source?.end.lastSequence ?? 0
        if base.source != nil { report.snapshotSequence = sequence }
        var history = History(sources.logs, after: sequence, options, report)
        var meter = ProgressMeter(store == nil ? "reading" : "writing", totalBytes: logBytes, progress)
        try history.run(into: &sink, &meter)
        report = history.report
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

    /// The newest snapshot that is whole; a newer one that is damaged only where the log doesn't make up for it.
    private mutating func chooseBase() throws -> Base {
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
            // What was in preparation was never complete, and all of it is elsewhere, too.
            if candidate.file.meaning != .temporary { damaged.append(candidate) }
        }
        let fallback = whole.map { Base.whole($0) } ?? .nothing
        guard let newest = damaged.first else { return fallback }
        var history = History(
            sources.logs, after: whole?.end.lastSequence ?? 0, RepairOptions(), highestKnownReport)
        var sink = NullSink()
        var reading = ProgressMeter("reading", totalBytes: logBytes, progress)
        try history.run(into: &sink, &reading)
        let limit = newest.end.lastSequence
        let isBroken = history.report.losses.contains { $0.sequences.map { $0.lowerBound <= limit } ?? false }
        let reaches = history.report.lastSequence >= limit || whole?.end.lastSequence == limit
        guard isBroken || !reaches else { return fallback }
        return .damaged(newest, older: Array(damaged.dropFirst()) + (whole.map { [$0] } ?? []))
    }

    private var highestKnownReport: RepairReport {
        var report = RepairReport()
        report.highestSequence = sources.highestKnown
        return report
    }

    /// A state from before the oldest one that is here can't be had.
    private func checkLimit(_ base: Base) throws {
        guard options.upToSequence != nil || options.upToTime != nil, base.source == nil else { return }
        let beginsLater = sources.logs.first.map { $0.header.predecessor != nil } ?? true
        guard beginsLater else { return }
        let oldest =
            sources.snapshots.last.map { "number \($0.end.lastSequence)" } ?? "what the first segment begins with"
        throw StoreError(
            .invalidArgument,
            "there is no way back that far: what was before is compacted, and the oldest state that is here is \(oldest)"
        )
    }

    private func write(
        _ source: RepairSources.SnapshotSource, to store: NewStore?, _ report: inout RepairReport
    ) throws {
        guard let store else {
            report.snapshotKeys = try SnapshotExamination(source.file, source.header).footer?.recordCount ?? 0
            return
        }
        var meter = ProgressMeter("writing", totalBytes: source.file.size, progress)
        var keys: UInt64 = 0
        try store.writeSnapshot(upTo: source.end.lastSequence, time: source.header.creationTime) { output in
            var window = try FileWindow(source.file.file)
            var examination = try SnapshotExamination(source.file, source.header)
            try examination.run(&meter) { walk, _ in
                for record in walk.records { try output.add(record, key: walk.key(of: record), from: &window) }
            }
            keys = output.recordCount
        }
        report.snapshotKeys = keys
    }

    /// What is left of a damaged snapshot, and older records in place of what it has lost.
    private func write(
        _ source: RepairSources.SnapshotSource, _ older: [RepairSources.SnapshotSource], to store: NewStore?,
        _ report: inout RepairReport
    ) throws {
        let bytes = source.file.size + older.reduce(0) { $0 + $1.file.size } + logBytes
        var meter = ProgressMeter("reading", totalBytes: bytes, progress)
        let base = try DamagedBase(source, &meter)
        for loss in base.losses { report.add(loss) }
        var standIns = OlderRecords(base, before: source.end.lastSequence)
        if !base.gaps.isEmpty || !base.lostKeys.isEmpty {
            for snapshot in older { try standIns.add(snapshot, &meter) }
            var history = History(sources.logs, after: 0, RepairOptions(), RepairReport())
            try history.run(into: &standIns, &meter)
        }
        let sorted = standIns.sorted
        report.olderValues = UInt64(sorted.count)
        var writing = ProgressMeter("writing", totalBytes: source.file.size, progress)
        var keys: UInt64 = 0
        var next = 0
        var windows: [String: FileWindow] = [:]
        func standIn(_ output: SnapshotOutput?) throws {
            let (key, older) = sorted[next]
            next += 1
            keys += 1
            guard let output else { return }
            if windows[older.file.path] == nil { windows[older.file.path] = try FileWindow(older.file.file) }
            try output.add(older.record, key: key[...], from: &windows[older.file.path]!)
        }
        func merge(_ output: SnapshotOutput?) throws {
            var window = try FileWindow(source.file.file)
            var examination = try SnapshotExamination(source.file, source.header)
            try examination.run(&writing) { walk, _ in
                for record in walk.records {
                    let key = walk.key(of: record)
                    while next < sorted.count, sorted[next].key[...].lexicographicallyPrecedes(key) {
                        try standIn(output)
                    }
                    keys += 1
                    try output?.add(record, key: key, from: &window)
                }
            }
            while next < sorted.count { try standIn(output) }
        }
        if let store {
            try store.writeSnapshot(
                upTo: source.end.lastSequence, time: source.header.creationTime
            ) { try merge($0) }
        } else {
            try merge(nil)
        }
        report.snapshotKeys = keys
    }

    // MARK: - The report

    private func noteUses(_ base: Base, _ report: inout RepairReport) {
        let sequence = base.source?.end.lastSequence ?? 0
        for snapshot in sources.snapshots {
            let isBase = snapshot.file.path == base.source?.file.path
            let isOlder = snapshot.end.lastSequence < sequence
            report.note(snapshot.file, isBase ? .used : isOlder ? .covered : .leftOver)
        }
        for (index, log) in sources.logs.enumerated() {
            let next = index + 1 < sources.logs.count ? sources.logs[index + 1].header.firstSequence : UInt64.max
            report.note(log.file, next <= sequence + 1 ? .covered : .used)
        }
        report.sources.sort { $0.name < $1.name }
    }
}

extension SnapshotWalk {
    func key(of record: FoundRecord) -> ArraySlice<UInt8> {
        keys[record.keyStart!..<(record.keyStart! + Int(record.header.keyLength))]
    }
}
