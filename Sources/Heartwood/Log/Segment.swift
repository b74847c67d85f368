internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// One log segment that is open: what a reader needs to find a record in it. Never changes, but that it may be mapped
/// into memory once nothing is written to it any more.
///
/// The invariant under `@unchecked Sendable`: `cell` lives as long as this does, is changed under the lock of `mapping`
/// only, its count before its address (but for its last two words, each of which stands for itself), and is read by
/// atomic loads.
final class Segment: @unchecked Sendable {
    /// The number of its first extent; see `Place`.
    let extent: Int
    let header: FileHeader
    let file: any File
    /// The path that it has, or will have once it is renamed.
    let path: String
    /// Up to which number a snapshot covers everything; the greatest number for a log.
    private let snapshotSequence: SequenceNumber

    private let mapping = Locked<(any FileMapping)?>(nil)
    /// The address of the mapping; its count; whether it is to be mapped when it is read next; the extents that it has.
    private let cell: UnsafeMutableRawPointer

    init(extent: Int, header: FileHeader, file: any File, path: String) {
        self.extent = extent
        self.header = header
        self.file = file
        self.path = path
        snapshotSequence = header.kind == .snapshot ? header.predecessor?.lastSequence ?? 0 : .max
        cell = .allocate(byteCount: 32, alignment: 8)
        cell.initializeMemory(as: UInt64.self, repeating: 0, count: 4)
    }

    deinit { cell.deallocate() }

    /// How many extents are its own: places with offsets beyond them are of the next segment.
    var extentCount: Int {
        get { Int(Shared.load64(cell + 24)) }
        set { Shared.store64(UInt64(newValue), cell + 24) }
    }

    /// Nothing is written to the file any more: it may be mapped.
    func allowMapping() { Shared.storeReleasing(1, cell + 16) }

    /// The bytes of a place that lies in it, and what is behind them; nil where the file isn't mapped.
    @inline(__always)
    func mappedBytes(of place: Place) -> UnsafeRawBufferPointer? {
        guard let mapped = mappedFile() else { return nil }
        let offset = Int(offset(of: place))
        guard offset < mapped.count else { return nil }
        return UnsafeRawBufferPointer(
            start: mapped.baseAddress.unsafelyUnwrapped + offset, count: min(place.lengthBound, mapped.count &- offset))
    }

    /// The bytes of the whole file; nil where it isn't mapped. Valid as long as this is.
    @inline(__always)
    func mappedFile() -> UnsafeRawBufferPointer? {
        let address = Shared.loadAcquiring(cell)
        if address == 0 { return Shared.loadAcquiring(cell + 16) == 1 && map() ? mappedFile() : nil }
        return UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: UInt(address)).unsafelyUnwrapped, count: Int(Shared.load64(cell + 8)))
    }

    /// Maps the file; false where that can't be done, and then it isn't tried again.
    @inline(never)
    private func map() -> Bool {
        mapping.withLock { mapping in
            guard mapping == nil, let size = try? file.size(), let mapped = try? file.map(size),
                let address = mapped.bytes.baseAddress
            else {
                Shared.storeReleasing(0, cell + 16)
                return mapping != nil
            }
            mapping = mapped
            Shared.store64(UInt64(mapped.bytes.count), cell + 8)
            Shared.storeReleasing(UInt64(UInt(bitPattern: address)), cell)
            return true
        }
    }

    /// Nobody reads it any more: gives the mapping back, and allows no other.
    func unmap() {
        mapping.withLock { mapping in
            Shared.storeReleasing(0, cell + 16)
            Shared.storeReleasing(0, cell)
            mapping = nil
        }
    }

    /// The address of its first byte.
    var baseAddress: UInt64 { Place.address(extent: extent, offset: 0) }

    /// The first address that isn't its own.
    var endAddress: UInt64 { Place.address(extent: extent + extentCount, offset: 0) }

    /// What it takes to verify a record of it.
    @inline(__always)
    var identity: SegmentIdentity {
        SegmentIdentity(
            salt: header.salt, recordFlags: header.recordFlags, firstSequence: header.firstSequence,
            snapshotSequence: snapshotSequence,
            baseAddress: baseAddress)
    }

    /// The offset in the file of a place that lies in it.
    @inline(__always)
    func offset(of place: Place) -> UInt64 { (place.address &- baseAddress) << 3 }
}

/// What the records of a segment are bound to.
struct SegmentIdentity {
    let salt: UInt32
    /// The flags that its records may have.
    let recordFlags: RecordHeader.Flags
    let firstSequence: SequenceNumber
    /// Up to which number a snapshot covers everything; the greatest number for a log.
    let snapshotSequence: SequenceNumber
    let baseAddress: UInt64

    /// Of no segment.
    static var none: SegmentIdentity {
        SegmentIdentity(salt: 0, recordFlags: [], firstSequence: 0, snapshotSequence: .max, baseAddress: 0)
    }

    @inline(__always)
    func offset(of place: Place) -> UInt64 { (place.address &- baseAddress) << 3 }
}

/// The segments and snapshots of an opening, by the extents that they take.
///
/// Readers look segments up without a lock. The invariants under `@unchecked Sendable`: an entry of a table is written
/// once, before any place in it is published; a table that is replaced stays until the end, for readers who still have
/// its address; and `list` and `retired` keep every segment alive until then, those too whose files are gone: whoever came
/// upon an old place against all rules would find a closed file, and not the memory of something else.
final class SegmentTable: @unchecked Sendable {
    /// The files of one kind: the extents of all begin at the same number.
    private struct Region {
        let firstExtent: Int
        /// Where the address of the present table lies.
        let cell: UnsafeMutableRawPointer
        var list: [Segment] = []
        var retired: [Segment] = []
        var extents = 0
        var capacity = 0
        var tables: [UnsafeMutablePointer<UInt64>] = []

        var end: Int { firstExtent + extents }
    }

    private struct State {
        var snapshots: Region
        var logs: Region
    }

    private let state: Locked<State>
    /// The addresses of the present tables: that of the snapshots, that of the logs.
    private let cells: UnsafeMutableRawPointer

    private static var regionBits: Int { 29 }

    init() {
        precondition(Place.firstLogExtent == 1 << Self.regionBits)
        let cells = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
        cells.initializeMemory(as: UInt64.self, repeating: 0, count: 8)
        self.cells = cells
        state = Locked(
            State(
                snapshots: Region(firstExtent: 0, cell: cells),
                logs: Region(firstExtent: Place.firstLogExtent, cell: cells + 8)))
    }

    deinit {
        for table in state.withLock({ $0.snapshots.tables + $0.logs.tables }) { table.deallocate() }
        cells.deallocate()
    }

    /// The first address behind all segments.
    var endAddress: UInt64 { state.withLock { Place.address(extent: $0.logs.end, offset: 0) } }

    /// How many log segments there are.
    var count: Int { state.withLock { $0.logs.list.count } }

    /// All of them, snapshots first.
    var all: [Segment] { state.withLock { $0.snapshots.list + $0.logs.list } }

    /// The segment of a place that the index has. Valid as long as the caller's pin or hold is.
    @inline(__always)
    func segment(of place: Place) -> Unmanaged<Segment> {
        let extent = place.extent
        let cell = cells + 8 &* (extent &>> Self.regionBits)
        let table = UnsafeMutableRawPointer(bitPattern: UInt(Shared.loadAcquiring(cell))).unsafelyUnwrapped
        let entry = Shared.load64(table + 8 &* (extent & (1 &<< Self.regionBits &- 1)))
        return Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: UInt(entry)).unsafelyUnwrapped)
    }

    /// Adds a file behind all others of its kind.
    ///
    /// - Parameter bytes: The size that it has, or is meant to get.
    func add(_ header: FileHeader, file: any File, path: String, bytes: UInt64) -> Segment {
        state.withLock { state in
            header.kind == .log
                ? Self.add(header, file, path, bytes, &state.logs)
                : Self.add(header, file, path, bytes, &state.snapshots)
        }
    }

    private static func add(
        _ header: FileHeader, _ file: any File, _ path: String, _ bytes: UInt64, _ region: inout Region
    ) -> Segment {
        let segment = Segment(extent: region.end, header: header, file: file, path: path)
        region.list.append(segment)
        extend(segment, to: bytes, &region)
        return segment
    }

    /// Gives the last segment addresses up to a size.
    func extend(_ segment: Segment, to bytes: UInt64) {
        state.withLock { state in
            segment.header.kind == .log
                ? Self.extend(segment, to: bytes, &state.logs) : Self.extend(segment, to: bytes, &state.snapshots)
        }
    }

    private static func extend(_ segment: Segment, to bytes: UInt64, _ region: inout Region) {
        precondition(segment === region.list.last, "only the last segment can grow")
        let end = segment.extent - region.firstExtent + Int(bytes / Place.extentBytes) + 1
        precondition(end <= 1 << regionBits, "more segments than can be numbered")
        if end > region.capacity { grow(&region, toFit: end) }
        let table = region.tables.last!
        let entry = UInt64(UInt(bitPattern: Unmanaged.passUnretained(segment).toOpaque()))
        for extent in region.extents..<max(end, region.extents) { Shared.store64(entry, table + extent) }
        region.extents = max(end, region.extents)
        segment.extentCount = region.end - segment.extent
        Shared.storeReleasing(UInt64(UInt(bitPattern: table)), region.cell)
    }

    private static func grow(_ region: inout Region, toFit count: Int) {
        let capacity = max(64, count * 2)
        let table = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
        table.initialize(repeating: 0, count: capacity)
        if let old = region.tables.last { table.update(from: old, count: region.extents) }
        region.tables.append(table)
        region.capacity = capacity
    }

    /// Lets go of segments that no version of the index is in, and that nobody reads any more.
    ///
    /// Their extents aren't used again. The files aren't closed by it.
    func retire(_ segments: [Segment]) {
        state.withLock { state in
            for segment in segments {
                Self.retire(segment, &state.snapshots)
                Self.retire(segment, &state.logs)
            }
        }
        for segment in segments { segment.unmap() }
    }

    private static func retire(_ segment: Segment, _ region: inout Region) {
        guard let index = region.list.firstIndex(where: { $0 === segment }) else { return }
        region.retired.append(region.list.remove(at: index))
    }

    /// Closes every file; the first error, after all were tried.
    func closeAll() throws(FileSystemError) {
        var failure: FileSystemError?
        for segment in all {
            do throws(FileSystemError) { try segment.file.close() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}

extension FileSystemError {
    /// The same error with the segment's present path: a file keeps the one under which it was opened.
    func naming(_ segment: Segment) -> FileSystemError {
        var error = self
        error.path = segment.path
        return error
    }
}
