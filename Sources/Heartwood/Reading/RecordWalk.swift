internal import CHeartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Synchronization

/// Walks over the records of a range of a pinned state and lends them. For one thread.
///
/// Records that are close together are read together. Mapped records are prefetched a few records ahead.
final class RecordWalk {
    private var cursor: Cursor
    private let page = KeyPage()
    private var position = 0
    private let records: RecordReader
    private let window = ReadWindow()

    /// How many records ahead to prefetch: enough to cover a cache miss, few enough to stay in the cache.
    private static var ahead: Int { 8 }

    convenience init(_ pin: ReadPin, range: KeyRange, reversed: Bool) {
        self.init(Cursor(pin, range: range, reversed: reversed))
    }

    init(_ cursor: Cursor) {
        self.cursor = cursor
        records = RecordReader(image: cursor.pin.image)
    }

    typealias Body = (UnsafeRawBufferPointer, Version, UnsafeRawBufferPointer, SequenceNumber) -> Bool

    /// Calls `body` with the key, version, value and sequence number of each record until it returns false.
    @inline(__always)
    func forEach(_ body: Body) throws(StoreError) {
        let page = page
        // Consecutive records are usually in the same file, so one view serves many of them.
        var view = RecordView()
        while try fill() {
            var index = position
            let count = page.count
            while index < count {
                let version = page.version(index)
                let location = version.location
                if !view.holds(location) { view = try makeView(from: index) ?? RecordView() }
                prefetch(index &+ Self.ahead, count, view)
                position = index &+ 1
                let key = page.lentKey(index)
                let wantsMore: Bool
                if let bytes = view.bytes(of: location) {
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

    /// How a walk that doesn't wait has ended.
    enum Progress { case ended, stopped, mustWait }

    /// As `forEach`, as far as that doesn't wait for the disk. After `.stopped` it can be called again.
    func forEachNow(_ body: Body) throws(StoreError) -> Progress {
        var view = RecordView()
        while try fill() {
            while position < page.count {
                let version = page.version(position)
                let key = page.lentKey(position)
                if !view.holds(version.location) {
                    guard let made = try makeView(from: position, waiting: false) else { return .mustWait }
                    view = made
                }
                let wantsMore: Bool?
                if let bytes = view.bytes(of: version.location) {
                    wantsMore = try records.withValueNow(of: key, in: bytes, version, view.identity) {
                        body(key, version, $0, $1)
                    }
                } else {
                    wantsMore = try records.withValueNow(of: key, version) { body(key, version, $0, $1) }
                }
                guard let wantsMore else { return .mustWait }
                position += 1
                if !wantsMore { return .stopped }
            }
        }
        return .ended
    }

    /// Makes sure that the page has a record left; false at the end.
    private func fill() throws(StoreError) -> Bool {
        if position < page.count { return true }
        position = 0
        return try cursor.next(page)
    }

    @inline(__always)
    private func prefetch(_ index: Int, _ count: Int, _ view: RecordView) {
        guard index < count, let next = view.bytes(of: page.version(index).location)?.baseAddress else { return }
        heartwood_prefetch(next)
        heartwood_prefetch(next + 64)
        heartwood_prefetch(next + 128)
    }

    /// A view from which the record at `index` can be taken. Empty if the record must be read separately; nil if
    /// making it would have to wait for the disk, unless `waiting`.
    @inline(never)
    private func makeView(from index: Int, waiting: Bool = true) throws(StoreError) -> RecordView? {
        let location = page.version(index).location
        let segment = records.segment(of: location)
        if records.image.mayBePending(location) { return RecordView() }
        if waiting, let mapped = segment.mappedFile() {
            // A file may be larger than its range of addresses; addresses after that belong to the next file.
            let own = Int(segment.endAddress - segment.baseAddress) << 3
            return RecordView(
                UnsafeRawBufferPointer(rebasing: mapped[..<min(mapped.count, own)]), from: segment.baseAddress,
                isWholeFile: true, segment.identity)
        }
        if location.lengthBound > ReadWindow.capacity { return RecordView() }
        return try load(segment, from: index, waiting) ? window.view(segment) : nil
    }

    /// Reads this record, together with the following ones of the page that are close to it. Returns false if that
    /// would have to wait for the disk, unless `waiting`.
    private func load(_ segment: Segment, from index: Int, _ waiting: Bool) throws(StoreError) -> Bool {
        let first = page.version(index).location
        var start = first.address
        var end = first.address + UInt64(first.lengthBound) >> 3
        let limit = UInt64(ReadWindow.capacity) >> 3
        let own = segment.baseAddress..<segment.endAddress
        for index in index + 1..<page.count {
            let location = page.version(index).location
            let locationEnd = location.address + UInt64(location.lengthBound) >> 3
            let newStart = min(start, location.address)
            let newEnd = max(end, locationEnd)
            // A gap is read as long as that costs less than another system call.
            let gap = location.address > end ? location.address - end : start > locationEnd ? start - locationEnd : 0
            guard gap <= ReadWindow.widestGap >> 3, newEnd - newStart <= limit, own.contains(location.address),
                !records.image.mayBePending(location)
            else { break }
            (start, end) = (newStart, newEnd)
        }
        // A location's length may be more than the record's. Bytes after the last record may be written concurrently.
        end = min(end, records.image.unwrittenFrom.load(ordering: .acquiring))
        do throws(FileSystemError) {
            return try window.load(from: start, to: end, of: segment, waiting)
        } catch {
            throw records.failure(error, segment)
        }
    }
}

/// A part of a file, mapped or read, for a scan. It needs no reference and no look-up for each record. Valid as long as
/// the log, and until the window is loaded again.
private struct RecordView {
    private let file: UnsafeRawBufferPointer
    /// The address of the first byte.
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
    private func offset(of location: RecordLocation) -> UInt64 { (location.address &- start) << 3 }

    /// Whether the whole record is here, judged by the length in its location.
    @inline(__always)
    func holds(_ location: RecordLocation) -> Bool {
        let offset = offset(of: location)
        return offset < UInt64(file.count) && (isWholeFile || Int(offset) &+ location.lengthBound <= file.count)
    }

    /// The bytes from the start of a record. Fewer than the length in its location if the file or the window ends
    /// earlier.
    @inline(__always)
    func bytes(of location: RecordLocation) -> UnsafeRawBufferPointer? {
        let offset = offset(of: location)
        guard offset < UInt64(file.count) else { return nil }
        return UnsafeRawBufferPointer(
            start: file.baseAddress.unsafelyUnwrapped + Int(offset),
            count: min(location.lengthBound, file.count &- Int(offset)))
    }
}

/// A part of a file that was read with one call.
private final class ReadWindow {
    static let capacity = 256 << 10
    static let widestGap: UInt64 = 4 << 10

    private var memory: UnsafeMutableRawBufferPointer?
    private var start: UInt64 = 0
    private var count = 0

    deinit { memory?.deallocate() }

    /// The bytes of the last load that belong to the segment: a location's length may be more than the record's.
    func view(_ segment: Segment) -> RecordView {
        let own = min(count, Int(segment.endAddress - start) << 3)
        return RecordView(
            UnsafeRawBufferPointer(rebasing: memory![..<own]), from: start, isWholeFile: false, segment.identity)
    }

    func load(
        from start: UInt64, to end: UInt64, of segment: Segment, _ waiting: Bool
    ) throws(FileSystemError) -> Bool {
        let memory = memory ?? .allocate(byteCount: Self.capacity, alignment: 4096)
        self.memory = memory
        count = 0
        self.start = start
        let wanted = UnsafeMutableRawBufferPointer(rebasing: memory[..<(Int(end - start) << 3)])
        let offset = (start - segment.baseAddress) << 3
        if waiting {
            count = try segment.file.readFully(into: wanted, at: offset)
        } else {
            guard let read = try segment.file.readNow(into: wanted, at: offset) else { return false }
            count = read
        }
        return true
    }
}
