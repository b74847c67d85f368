internal import CHeartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Synchronization

/// Walks over the records of a range of a held state and lends them. For one thread.
///
/// Records that lie close together in the order of their keys are read together; mapped ones are asked for some records
/// ahead.
final class RecordWalk {
    private var cursor: Cursor
    private let page = KeyPage()
    private var position = 0
    private let records: RecordReader
    private let window = ReadWindow()

    /// Records ahead for which memory is asked: more than a cache miss takes, less than a cache holds.
    private static var ahead: Int { 8 }

    convenience init(_ hold: Hold, range: KeyRange, reversed: Bool) {
        self.init(Cursor(hold, range: range, reversed: reversed))
    }

    init(_ cursor: Cursor) {
        self.cursor = cursor
        records = RecordReader(log: cursor.hold.log)
    }

    typealias Body = (UnsafeRawBufferPointer, Version, UnsafeRawBufferPointer, SequenceNumber) -> Bool

    /// Calls `body` with each record until it says false: key, version, value, and the number of its write.
    @inline(__always)
    func forEach(_ body: Body) throws(StoreError) {
        let page = page
        while try fill() {
            // Nothing is written to what is mapped any more, so what holds for one record of a file holds for all.
            var view = MappedView()
            var index = position
            let count = page.count
            while index < count {
                let version = page.version(index)
                if !view.holds(version.place) { view = MappedView(of: version.place, records) }
                prefetch(index &+ Self.ahead, count, view)
                position = index &+ 1
                let wantsMore: Bool
                if let bytes = view.bytes(of: version.place) {
                    let key = page.lentKey(index)
                    wantsMore = try records.withValue(of: key, in: bytes, at: version.place, view.identity) {
                        body(key, version, $0, $1)
                    }
                } else {
                    wantsMore = try readValue(index, body)
                }
                if !wantsMore { return }
                index &+= 1
            }
        }
    }

    /// Sees to it that the page has a record left; false at the end.
    private func fill() throws(StoreError) -> Bool {
        if position < page.count { return true }
        position = 0
        return try cursor.next(page)
    }

    @inline(__always)
    private func prefetch(_ index: Int, _ count: Int, _ view: MappedView) {
        guard index < count, let next = view.bytes(of: page.version(index).place)?.baseAddress else { return }
        heartwood_prefetch(next)
        heartwood_prefetch(next + 64)
        heartwood_prefetch(next + 128)
    }

    /// A record that isn't in a mapped file.
    @inline(never)
    private func readValue(_ index: Int, _ body: Body) throws(StoreError) -> Bool {
        let version = page.version(index)
        let place = version.place
        let key = page.lentKey(index)
        if records.log.mayBePending(place) || place.lengthBound > ReadWindow.capacity {
            return try records.withValue(of: key, at: place) { body(key, version, $0, $1) }
        }
        let segment = records.segment(of: place)
        if !window.holds(place, of: segment) { try load(segment, from: index) }
        return try window.withBytes(of: place) { (bytes) throws(StoreError) in
            try records.withValue(of: key, in: bytes, at: place, segment.identity) { body(key, version, $0, $1) }
        }
    }

    /// Reads this record, and with it those that follow in the page as long as they lie close behind.
    private func load(_ segment: Segment, from index: Int) throws(StoreError) {
        let first = page.version(index).place
        var start = first.address
        var end = first.address + UInt64(first.lengthBound) >> 3
        let limit = UInt64(ReadWindow.capacity) >> 3
        for index in index + 1..<page.count {
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

/// A file that is mapped, as a scan uses it: no reference, no look-up for each record. Valid as long as the log is.
private struct MappedView {
    private var file = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var identity = SegmentIdentity(salt: 0, firstSequence: 0, baseAddress: 0)

    init() {}

    init(of place: Place, _ records: RecordReader) {
        let segment = records.segment(of: place)
        identity = segment.identity
        guard !records.log.mayBePending(place), let mapped = segment.mappedFile() else { return }
        // A file may be larger than what was given addresses of it, and those behind are the next one's.
        let own = segment.extentCount * Int(Place.extentBytes)
        file = UnsafeRawBufferPointer(rebasing: mapped[..<min(mapped.count, own)])
    }

    @inline(__always)
    func holds(_ place: Place) -> Bool { identity.offset(of: place) < UInt64(file.count) }

    @inline(__always)
    func bytes(of place: Place) -> UnsafeRawBufferPointer? {
        let offset = identity.offset(of: place)
        guard offset < UInt64(file.count) else { return nil }
        return UnsafeRawBufferPointer(
            start: file.baseAddress.unsafelyUnwrapped + Int(offset),
            count: min(place.lengthBound, file.count &- Int(offset)))
    }
}

/// A piece of a file that was read in one go.
final class ReadWindow {
    static let capacity = 256 << 10
    static let widestGap: UInt64 = 4 << 10

    private var memory: UnsafeMutableRawBufferPointer?
    private var segment: Segment?
    private var start: UInt64 = 0
    private var count = 0

    deinit { memory?.deallocate() }

    /// Whether the whole of a record is here, as far as its place tells its length.
    func holds(_ place: Place, of segment: Segment) -> Bool {
        // A place says more than a record has, so the window may reach beyond the last address of its segment.
        self.segment === segment && place.address >= start
            && Int(place.address - start) << 3 + place.lengthBound <= count
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
        self.segment = segment
        self.start = start
        let wanted = UnsafeMutableRawBufferPointer(rebasing: memory[..<(Int(end - start) << 3)])
        count = try segment.file.readFully(into: wanted, at: (start - segment.baseAddress) << 3)
    }
}
