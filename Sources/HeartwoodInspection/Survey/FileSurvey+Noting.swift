internal import HeartwoodFormat

extension FileSurvey {
    init(_ member: StoreFiles.Member) {
        let file = member.file
        self.init(
            name: file.name, path: file.path, role: member.role, kind: file.kind, size: file.size,
            header: file.header, isHeaderDamaged: file.isHeaderDamaged)
        recordedEnd = member.successor?.endOffset
    }

    mutating func note(_ summary: LogSummary, _ map: FileMap) {
        commits = summary.commits
        marks = summary.marks
        batches = summary.batches
        sequences = summary.sequences
        times = summary.times
        end = summary.torn?.lowerBound ?? summary.end
        torn = summary.torn
        damagedParts = summary.damagedParts
        self.map = map.cells
        bytes = map.total
    }

    /// Calls `body` for each cell of the map that contains some of a part of the file, with the number of these bytes.
    func forCells(of part: Range<UInt64>, _ body: (Int, UInt64) -> Void) {
        FileMap.forCells(of: part, size: size, count: map.count, body)
    }

    /// Changes up to `count` dead bytes of a cell to live. Returns how many were changed.
    mutating func markLive(_ cell: Int, _ count: UInt64) -> UInt64 {
        let moved = min(count, map[cell].dead)
        map[cell].dead -= moved
        map[cell].live += moved
        bytes.dead -= moved
        bytes.live += moved
        return moved
    }
}

extension RecordCounts {
    mutating func add(_ commit: ScannedCommit) {
        for record in commit.records { add(record.header.kind) }
    }

    mutating func add(_ kind: RecordKind) {
        switch kind {
        case .put: puts += 1
        case .putExpiring: expiringPuts += 1
        case .delete: deletes += 1
        case .optional: optional += 1
        }
    }

    mutating func add(_ other: RecordCounts) {
        puts += other.puts
        expiringPuts += other.expiringPuts
        deletes += other.deletes
        optional += other.optional
    }
}

extension ByteCounts {
    mutating func add(_ other: ByteCounts) {
        live += other.live
        dead += other.dead
        format += other.format
        torn += other.torn
        corrupt += other.corrupt
        free += other.free
    }
}

/// What the bytes of a file are, for cells of equal length.
struct FileMap {
    private(set) var cells: [ByteCounts]
    private(set) var total = ByteCounts()
    private let size: UInt64
    private var end: UInt64 = 0

    init(size: UInt64, cells count: Int) {
        self.size = size
        cells = [ByteCounts](repeating: ByteCounts(), count: count)
    }

    /// Adds a part. Parts come in the order of the file; bytes that were already added keep their kind.
    mutating func add(_ kind: WritableKeyPath<ByteCounts, UInt64>, _ part: Range<UInt64>) {
        let start = max(part.lowerBound, end)
        let stop = min(part.upperBound, size)
        guard start < stop else { return }
        end = stop
        total[keyPath: kind] += stop - start
        Self.forCells(of: start..<stop, size: size, count: cells.count) { cells[$0][keyPath: kind] += $1 }
    }

    mutating func addRest(_ kind: WritableKeyPath<ByteCounts, UInt64>) { add(kind, min(end, size)..<size) }

    static func width(size: UInt64, count: Int) -> UInt64 {
        count == 0 ? 1 : max(1, size / UInt64(count) + (size.isMultiple(of: UInt64(count)) ? 0 : 1))
    }

    static func forCells(of part: Range<UInt64>, size: UInt64, count: Int, _ body: (Int, UInt64) -> Void) {
        guard count > 0, size > 0, !part.isEmpty else { return }
        let width = width(size: size, count: count)
        var at = part.lowerBound
        while at < part.upperBound {
            let cell = at / width
            let stop = min(part.upperBound, (cell + 1) * width)
            body(min(Int(cell), count - 1), stop - at)
            at = stop
        }
    }
}
