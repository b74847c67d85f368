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
        // One after the other lie in the same file, as a rule, so what is known of one holds for the next.
        var view = RecordView()
        while try fill() {
            var index = position
            let count = page.count
            while index < count {
                let version = page.version(index)
                let place = version.place
                if !view.holds(place) { view = try makeView(from: index) }
                prefetch(index &+ Self.ahead, count, view)
                position = index &+ 1
                let key = page.lentKey(index)
                let wantsMore: Bool
                if let bytes = view.bytes(of: place) {
                    wantsMore = try records.withValue(of: key, in: bytes, version, view.identity) {
                        body(key, version, $0, $1)
                    }
                } else {
                    wantsMore = try records.withValue(of: key, version) { body(key, version, $0, $1) }
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
    private func prefetch(_ index: Int, _ count: Int, _ view: RecordView) {
        guard index < count, let next = view.bytes(of: page.version(index).place)?.baseAddress else { return }
        heartwood_prefetch(next)
        heartwood_prefetch(next + 64)
        heartwood_prefetch(next + 128)
    }

    /// What the record at `index` is to be taken from; holds nothing where it has to be fetched by itself.
    @inline(never)
    private func makeView(from index: Int) throws(StoreError) -> RecordView {
        let place = page.version(index).place
        let segment = records.segment(of: place)
        if records.log.mayBePending(place) { return RecordView() }
        if let mapped = segment.mappedFile() {
            // A file may be larger than what was given addresses of it, and those behind are the next one's.
            let own = Int(segment.endAddress - segment.baseAddress) << 3
            return RecordView(
                UnsafeRawBufferPointer(rebasing: mapped[..<min(mapped.count, own)]), from: segment.baseAddress,
                isWholeFile: true, segment.identity)
        }
        if place.lengthBound > ReadWindow.capacity { return RecordView() }
        try load(segment, from: index)
        return window.view(segment)
    }

    /// Reads this record, and with it those that follow in the page as long as they lie close behind.
    private func load(_ segment: Segment, from index: Int) throws(StoreError) {
        let first = page.version(index).place
        var start = first.address
        var end = first.address + UInt64(first.lengthBound) >> 3
        let limit = UInt64(ReadWindow.capacity) >> 3
        let own = segment.baseAddress..<segment.endAddress
        for index in index + 1..<page.count {
            let place = page.version(index).place
            let placeEnd = place.address + UInt64(place.lengthBound) >> 3
            let newStart = min(start, place.address)
            let newEnd = max(end, placeEnd)
            // A gap is read rather than skipped while that costs less than another call.
            let gap = place.address > end ? place.address - end : start > placeEnd ? start - placeEnd : 0
            guard gap <= ReadWindow.widestGap >> 3, newEnd - newStart <= limit, own.contains(place.address),
                !records.log.mayBePending(place)
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

/// A piece of a file, mapped or read, as a scan uses it: no reference, no look-up for each record. Valid as long as the log
/// is, and until the window is loaded anew.
private struct RecordView {
    private let file: UnsafeRawBufferPointer
    /// The address with which it begins.
    private let start: UInt64
    private let isWholeFile: Bool
    let identity: SegmentIdentity

    init() {
        self.init(
            UnsafeRawBufferPointer(start: nil, count: 0), from: 0, isWholeFile: false, .none)
    }

    init(_ file: UnsafeRawBufferPointer, from start: UInt64, isWholeFile: Bool, _ identity: SegmentIdentity) {
        self.file = file
        self.start = start
        self.isWholeFile = isWholeFile
        self.identity = identity
    }

    @inline(__always)
    private func offset(of place: Place) -> UInt64 { (place.address &- start) << 3 }

    /// Whether the whole of a record is here, as far as its place tells its length.
    @inline(__always)
    func holds(_ place: Place) -> Bool {
        let offset = offset(of: place)
        return offset < UInt64(file.count) && (isWholeFile || Int(offset) &+ place.lengthBound <= file.count)
    }

    /// The bytes from a record on; fewer than its place says where the file ends before, or what was read.
    @inline(__always)
    func bytes(of place: Place) -> UnsafeRawBufferPointer? {
        let offset = offset(of: place)
        guard offset < UInt64(file.count) else { return nil }
        return UnsafeRawBufferPointer(
            start: file.baseAddress.unsafelyUnwrapped + Int(offset),
            count: min(place.lengthBound, file.count &- Int(offset)))
    }
}

/// A piece of a file that was read in one go.
private final class ReadWindow {
    static let capacity = 256 << 10
    static let widestGap: UInt64 = 4 << 10

    private var memory: UnsafeMutableRawBufferPointer?
    private var start: UInt64 = 0
    private var count = 0

    deinit { memory?.deallocate() }

    /// What was read last, without what isn't the segment's own: a place says more than a record has.
    func view(_ segment: Segment) -> RecordView {
        let own = min(count, Int(segment.endAddress - start) << 3)
        return RecordView(
            UnsafeRawBufferPointer(rebasing: memory![..<own]), from: start, isWholeFile: false, segment.identity)
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
