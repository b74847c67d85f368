internal import CHeartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Synchronization

/// Walks over the records of a range of a held state and lends them. For one thread.
///
/// Records that lie close together in the order of their keys are read together; mapped ones are asked for some records
/// ahead.
struct RecordWalk {
    private var cursor: Cursor
    private var page = KeyPage()
    private var position = 0
    private let records: RecordReader
    private let window = ReadWindow()

    /// Records ahead for which memory is asked: more than a cache miss takes, less than a cache holds.
    private static var ahead: Int { 8 }

    init(_ hold: Hold, range: KeyRange, reversed: Bool) {
        self.init(Cursor(hold, range: range, reversed: reversed))
    }

    init(_ cursor: Cursor) {
        self.cursor = cursor
        records = RecordReader(log: cursor.hold.log)
    }

    /// Calls `body` with each record until it says false: key, version, value, and the number of its write.
    @inline(__always)
    mutating func forEach(
        _ body: (UnsafeRawBufferPointer, Version, UnsafeRawBufferPointer, SequenceNumber) -> Bool
    ) throws(StoreError) {
        while try fill() {
            while position < page.count {
                let wantsMore = try page.withKey(position) { (key) throws(StoreError) in
                    try withValue(of: key, body)
                }
                position += 1
                if !wantsMore { return }
            }
        }
    }

    /// Sees to it that the page has a record left; false at the end.
    private mutating func fill() throws(StoreError) -> Bool {
        if position < page.count { return true }
        position = 0
        return try cursor.next(&page)
    }

    @inline(__always)
    private func withValue(
        of key: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer, Version, UnsafeRawBufferPointer, SequenceNumber) -> Bool
    ) throws(StoreError) -> Bool {
        let version = page.version(position)
        let place = version.place
        let segment = records.segment(of: place)
        if let bytes = segment.mappedBytes(of: place), !records.log.mayBePending(place) {
            prefetch()
            return try records.withValue(of: key, in: bytes, at: place, segment) { body(key, version, $0, $1) }
        }
        return try withValueRead(of: key, version, segment, body)
    }

    @inline(never)
    private func withValueRead(
        of key: UnsafeRawBufferPointer, _ version: Version, _ segment: Segment,
        _ body: (UnsafeRawBufferPointer, Version, UnsafeRawBufferPointer, SequenceNumber) -> Bool
    ) throws(StoreError) -> Bool {
        let place = version.place
        if records.log.mayBePending(place) || place.lengthBound > ReadWindow.capacity {
            return try records.withValue(of: key, at: place) { body(key, version, $0, $1) }
        }
        if !window.holds(place) { try load(segment) }
        return try window.withBytes(of: place) { (bytes) throws(StoreError) in
            try records.withValue(of: key, in: bytes, at: place, segment) { body(key, version, $0, $1) }
        }
    }

    @inline(__always)
    private func prefetch() {
        guard position + Self.ahead < page.count else { return }
        let place = page.version(position + Self.ahead).place
        if let next = records.segment(of: place).mappedBytes(of: place)?.baseAddress {
            heartwood_prefetch(next)
            heartwood_prefetch(next + 64)
            heartwood_prefetch(next + 128)
        }
    }

    /// Reads this record, and with it those that follow in the page as long as they lie close behind.
    private func load(_ segment: Segment) throws(StoreError) {
        let first = page.version(position).place
        var start = first.address
        var end = first.address + UInt64(first.lengthBound) >> 3
        let limit = UInt64(ReadWindow.capacity) >> 3
        for index in position + 1..<page.count {
            let place = page.version(index).place
            let placeEnd = place.address + UInt64(place.lengthBound) >> 3
            let newStart = min(start, place.address)
            let newEnd = max(end, placeEnd)
            // A gap is read rather than skipped while that costs less than another call.
            let gap = place.address > end ? place.address - end : start > placeEnd ? start - placeEnd : 0
            guard gap <= ReadWindow.widestGap >> 3, newEnd - newStart <= limit, place.address >= segment.baseAddress,
                !records.log.mayBePending(place), records.segment(of: place) === segment
            else { break }
            (start, end) = (newStart, newEnd)
        }
        // A place says more than a record has, and what lies behind the last one may be written any moment.
        end = min(end, records.log.unwrittenFrom.load(ordering: .acquiring))
        do throws(FileSystemError) {
            try window.load(from: start, to: end, of: segment)
        } catch {
            if records.log.isEnded { throw .closed }
            throw StoreError(error.naming(segment), "a record could not be read")
        }
    }
}

/// A piece of a file that was read in one go.
final class ReadWindow {
    static let capacity = 256 << 10
    static let widestGap: UInt64 = 4 << 10

    private var memory: UnsafeMutableRawBufferPointer?
    private var start: UInt64 = 0
    private var count = 0

    deinit { memory?.deallocate() }

    /// Whether the whole of a record is here, as far as its place tells its length.
    func holds(_ place: Place) -> Bool {
        place.address >= start && Int(place.address - start) << 3 + place.lengthBound <= count
    }

    /// The bytes from a record on; fewer than it has where the file ends before.
    func withBytes<R>(
        of place: Place, _ body: (UnsafeRawBufferPointer) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        let offset = min(Int(place.address - start) << 3, count)
        return try body(UnsafeRawBufferPointer(rebasing: memory![offset..<count]))
    }

    func load(from start: UInt64, to end: UInt64, of segment: Segment) throws(FileSystemError) {
        let memory = memory ?? .allocate(byteCount: Self.capacity, alignment: 4096)
        self.memory = memory
        count = 0
        self.start = start
        let wanted = UnsafeMutableRawBufferPointer(rebasing: memory[..<(Int(end - start) << 3)])
        count = try segment.file.readFully(into: wanted, at: (start - segment.baseAddress) << 3)
    }
}
