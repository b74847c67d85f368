internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Copies the records of many keys to where they are to lie in a snapshot, in the order of keys, but reads them in the
/// order in which they lie in their files: records that lie close together are read together.
///
/// Read one by one, in the order of keys, they took two thirds of a compaction's time: a system call each, and a miss.
///
/// For records whose places tell their exact length; a few tens of megabytes of them at a time.
final class RecordGather {
    /// How many bytes of records are gathered at a time, at most.
    static let capacity = 32 << 20
    /// Records up to this length have it in their places.
    static let longestRecord = 4_088

    /// A record that is to be read.
    private struct Wanted {
        let place: Place
        /// Its number among the keys, and where it goes.
        let number: Int32
        let target: Int32
    }

    private let records: RecordReader
    private var keys = KeyPage()
    private var wanted: ContiguousArray<Wanted> = []
    private var memory: UnsafeMutableRawPointer
    private var memoryCapacity = 1 << 20
    private let window: UnsafeMutableRawBufferPointer
    private(set) var byteCount = 0

    private static var windowBytes: Int { 512 << 10 }
    /// What lies between two records is read, too, rather than skipped, while that costs less than another call.
    private static var widestGap: UInt64 { 4 << 10 }

    init(_ log: Log) {
        records = RecordReader(log: log)
        memory = .allocate(byteCount: memoryCapacity, alignment: 4096)
        window = .allocate(byteCount: Self.windowBytes, alignment: 4096)
    }

    deinit {
        memory.deallocate()
        window.deallocate()
    }

    var count: Int { wanted.count }

    func hasRoom(for version: Version) -> Bool { byteCount + version.place.lengthBound <= Self.capacity }

    /// Notes a record that comes next in the order of keys.
    ///
    /// - Parameter key: From the memory of a `KeyPage`.
    func add(_ key: UnsafeRawBufferPointer, _ version: Version) {
        wanted.append(Wanted(place: version.place, number: Int32(wanted.count), target: Int32(byteCount)))
        keys.append(key, version)
        byteCount += version.place.lengthBound
    }

    func removeAll() {
        wanted.removeAll(keepingCapacity: true)
        keys.removeAll()
        byteCount = 0
    }

    /// Reads and verifies the records, and calls `body` with all of them, encoded for `offset` of the file with this header.
    ///
    /// - Throws: `.corruption` where one is damaged; `.inputOutput` where one can't be read; what `body` throws.
    func gather(
        for header: FileHeader, at offset: UInt64, _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) {
        if byteCount > memoryCapacity { grow() }
        wanted.sort { $0.place.word < $1.place.word }
        var start = 0
        while start < wanted.count { start = try readRun(from: start, header, offset) }
        try body(UnsafeRawBufferPointer(start: memory, count: byteCount))
    }

    private func grow() {
        memory.deallocate()
        memoryCapacity = min(Self.capacity, max(byteCount, 2 * memoryCapacity))
        memory = .allocate(byteCount: memoryCapacity, alignment: 4096)
    }

    /// Reads the records from a number on that lie close together; returns the number behind them.
    private func readRun(from start: Int, _ header: FileHeader, _ offset: UInt64) throws(StoreError) -> Int {
        let first = wanted[start].place
        let segment = records.segment(of: first)
        if let mapped = segment.mappedBytes(of: first) {
            try copy(wanted[start], mapped, segment, header, offset)
            return start + 1
        }
        let base = first.address
        let own = segment.endAddress
        let limit = base + UInt64(Self.windowBytes) >> 3
        var end = base + UInt64(first.lengthBound) >> 3
        var next = start + 1
        while next < wanted.count {
            let place = wanted[next].place
            let placeEnd = place.address + UInt64(place.lengthBound) >> 3
            guard place.address - end <= Self.widestGap >> 3, placeEnd <= limit, placeEnd <= own else { break }
            end = placeEnd
            next += 1
        }
        let count = Int(end - base) << 3
        let read: Int
        do throws(FileSystemError) {
            read = try segment.file.readFully(
                into: UnsafeMutableRawBufferPointer(rebasing: window[..<count]), at: segment.offset(of: first))
        } catch {
            throw StoreError(error.naming(segment), "a record could not be read")
        }
        for record in wanted[start..<next] {
            let from = Int(record.place.address - base) << 3
            // Shorter than it was: then it is damage, which the record's check tells.
            let bytes = UnsafeRawBufferPointer(rebasing: window[min(from, read)..<read])
            try copy(record, bytes, segment, header, offset)
        }
        return next
    }

    private func copy(
        _ wanted: Wanted, _ bytes: UnsafeRawBufferPointer, _ segment: Segment, _ header: FileHeader, _ offset: UInt64
    ) throws(StoreError) {
        let key = keys.lentKey(Int(wanted.number))
        let version = keys.version(Int(wanted.number))
        let record = try records.record(of: key, in: bytes, version, segment.identity)
        let target = memory + Int(wanted.target)
        SnapshotWriter.encode(record, to: target, at: offset + UInt64(wanted.target), of: header)
        (target + FormatConstants.recordHeaderSize).copyMemory(
            from: record.payload.baseAddress!, byteCount: record.payload.count)
    }
}
