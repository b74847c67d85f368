internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// Copies the records of many keys into the order of keys, for a snapshot, but reads them in the order in which they
/// are in their files. Records that are close together are read together.
///
/// Reading them one by one in key order took two thirds of a compaction's time: one system call and one cache miss
/// each.
///
/// Only for records whose locations have their exact length; a few tens of megabytes of them at a time.
final class RecordGather {
    /// The most bytes of records that are collected at a time.
    static let capacity = 32 << 20

    /// A record to read.
    private struct Wanted {
        let location: RecordLocation
        /// The number of its key, and its offset in the output.
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
    /// A gap between two records is read as long as that costs less than another system call.
    private static var widestGap: UInt64 { 4 << 10 }

    init(_ image: StoreImage) {
        records = RecordReader(image: image)
        memory = .allocate(byteCount: memoryCapacity, alignment: 4096)
        window = .allocate(byteCount: Self.windowBytes, alignment: 4096)
    }

    deinit {
        memory.deallocate()
        window.deallocate()
    }

    var count: Int { wanted.count }

    func hasSpace(for version: Version) -> Bool { byteCount + version.location.lengthBound <= Self.capacity }

    /// Adds the record that is next in key order.
    ///
    /// - Parameter key: From the memory of a `KeyPage`.
    func add(_ key: UnsafeRawBufferPointer, _ version: Version) {
        wanted.append(Wanted(location: version.location, number: Int32(wanted.count), target: Int32(byteCount)))
        keys.append(key, version)
        byteCount += version.location.lengthBound
    }

    func removeAll() {
        wanted.removeAll(keepingCapacity: true)
        keys.removeAll()
        byteCount = 0
    }

    /// Reads and verifies the records, and calls `body` with all of them, encoded for `offset` of the file with this
    /// header.
    ///
    /// - Throws: `.corruption` if one is damaged; `.inputOutput` if one can't be read; what `body` throws.
    func gather(
        for header: FileHeader, at offset: UInt64, _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) {
        if byteCount > memoryCapacity { grow() }
        wanted.sort { $0.location.word < $1.location.word }
        var start = 0
        while start < wanted.count { start = try readRun(from: start, header, offset) }
        try body(UnsafeRawBufferPointer(start: memory, count: byteCount))
    }

    private func grow() {
        memory.deallocate()
        memoryCapacity = min(Self.capacity, max(byteCount, 2 * memoryCapacity))
        memory = .allocate(byteCount: memoryCapacity, alignment: 4096)
    }

    /// Reads the records from index `start` that are close together; returns the index after them.
    private func readRun(from start: Int, _ header: FileHeader, _ offset: UInt64) throws(StoreError) -> Int {
        let first = wanted[start].location
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
            let location = wanted[next].location
            let locationEnd = location.address + UInt64(location.lengthBound) >> 3
            guard location.address - end <= Self.widestGap >> 3, locationEnd <= limit, locationEnd <= own else { break }
            end = locationEnd
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
            let from = Int(record.location.address - base) << 3
            // If the file has become shorter, the record's check reports damage.
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
