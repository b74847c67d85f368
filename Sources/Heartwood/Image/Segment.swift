internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// An open log segment or snapshot: what a reader needs to find a record in it. It changes only in that it may be
/// mapped into memory once nothing is written to it any more.
///
/// The invariant that makes `@unchecked Sendable` sound: `cell` exists as long as this object. It is changed only under
/// the lock of `mapping`, the address last, and read by atomic loads. Its third and fourth word are independent and
/// need no lock.
final class Segment: @unchecked Sendable {
    /// The number of its first extent; see `RecordLocation`.
    let extent: Int
    let header: FileHeader
    let file: any File
    /// The path that the file has, or will have once it is renamed.
    let path: String
    /// The sequence number up to which a snapshot covers everything; the greatest number for a log.
    private let snapshotSequence: SequenceNumber

    private let mapping = Locked<(any FileMapping)?>(nil)
    /// Five words: the address of the mapped bytes; their count; whether to map the file at the next read; the number
    /// of extents; the reference of `mapping`.
    private let cell: UnsafeMutableRawPointer

    init(extent: Int, header: FileHeader, file: any File, path: String) {
        self.extent = extent
        self.header = header
        self.file = file
        self.path = path
        snapshotSequence = header.kind == .snapshot ? header.predecessor?.lastSequence ?? 0 : .max
        cell = .allocate(byteCount: 40, alignment: 8)
        cell.initializeMemory(as: UInt64.self, repeating: 0, count: 5)
    }

    deinit { cell.deallocate() }

    /// The number of its extents: locations with later offsets belong to the next segment.
    var extentCount: Int {
        get { Int(Shared.load64(cell + 24)) }
        set { Shared.store64(UInt64(newValue), cell + 24) }
    }

    /// Allows mapping the file, because nothing is written to it any more.
    fileprivate func allowMapping() { Shared.storeReleasing(1, cell + 16) }

    /// The bytes from a location on, up to the bound of its length; nil if the file isn't mapped.
    @inline(__always)
    func mappedBytes(of location: RecordLocation) -> UnsafeRawBufferPointer? {
        guard let mapped = mappedFile() else { return nil }
        let offset = Int(offset(of: location))
        guard offset < mapped.count else { return nil }
        return UnsafeRawBufferPointer(
            start: mapped.baseAddress.unsafelyUnwrapped + offset,
            count: min(location.lengthBound, mapped.count &- offset))
    }

    /// The bytes of the whole file; nil if it isn't mapped. Valid as long as this object.
    @inline(__always)
    func mappedFile() -> UnsafeRawBufferPointer? {
        let address = Shared.loadAcquiring(cell)
        if address == 0 { return Shared.loadAcquiring(cell + 16) == 1 && map() ? mappedFile() : nil }
        return UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: UInt(address)).unsafelyUnwrapped, count: Int(Shared.load64(cell + 8)))
    }

    /// Retains the mapping of the bytes that `mappedBytes` has returned: they stay valid until the caller releases it,
    /// also if the file is retired. The caller has an epoch pin since it looked up the location.
    @inline(__always)
    func retainMapping() -> Unmanaged<AnyObject> {
        let reference = UnsafeRawPointer(bitPattern: UInt(Shared.load64(cell + 32))).unsafelyUnwrapped
        return Unmanaged<AnyObject>.fromOpaque(reference).retain()
    }

    /// Maps the file. Returns false if that fails, and then it isn't tried again.
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
            let reference = Unmanaged<AnyObject>.passUnretained(mapped).toOpaque()
            Shared.store64(UInt64(UInt(bitPattern: reference)), cell + 32)
            Shared.storeReleasing(UInt64(UInt(bitPattern: address)), cell)
            return true
        }
    }

    /// Releases the mapping, and allows no other. Call it when no thread reads the segment any more.
    func unmap() {
        mapping.withLock { mapping in
            Shared.storeReleasing(0, cell + 16)
            Shared.storeReleasing(0, cell)
            mapping = nil
        }
    }

    /// The address of its first byte.
    var baseAddress: UInt64 { RecordLocation.address(extent: extent, offset: 0) }

    /// The first address after its own.
    var endAddress: UInt64 { RecordLocation.address(extent: extent + extentCount, offset: 0) }

    /// What is needed to verify a record of this segment.
    @inline(__always)
    var identity: SegmentIdentity {
        SegmentIdentity(
            salt: header.salt, recordFlags: header.recordFlags, firstSequence: header.firstSequence,
            snapshotSequence: snapshotSequence,
            baseAddress: baseAddress)
    }

    /// The offset in the file of a location in this segment.
    @inline(__always)
    func offset(of location: RecordLocation) -> UInt64 { (location.address &- baseAddress) << 3 }
}

/// The properties of a segment that its records are bound to.
struct SegmentIdentity {
    let salt: UInt32
    /// The flags that its records may have.
    let recordFlags: RecordHeader.Flags
    let firstSequence: SequenceNumber
    /// The sequence number up to which a snapshot covers everything; the greatest number for a log.
    let snapshotSequence: SequenceNumber
    let baseAddress: UInt64

    /// A value for a buffer without a segment.
    static var none: SegmentIdentity {
        SegmentIdentity(salt: 0, recordFlags: [], firstSequence: 0, snapshotSequence: .max, baseAddress: 0)
    }

    @inline(__always)
    func offset(of location: RecordLocation) -> UInt64 { (location.address &- baseAddress) << 3 }
}

/// The segments and snapshots of an opening, by their extents.
///
/// Readers look segments up without a lock. The invariants that make `@unchecked Sendable` sound: an entry of a table
/// is written once, before any location in it is published. A replaced table is kept until the end, because readers may
/// still have its address. `list` and `retired` keep every segment object alive until then, also those whose files are
/// deleted: a reader with a stale location, which must not occur, would find a closed file and not reused memory.
final class SegmentTable: @unchecked Sendable {
    /// The files of one kind. Their extents begin at a fixed number.
    private struct Region {
        let firstExtent: Int
        /// The memory that contains the address of the current table.
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
    /// The addresses of the current tables: snapshots first, then logs.
    private let cells: UnsafeMutableRawPointer

    private static var regionBits: Int { 29 }

    private let mapsFiles: Bool

    /// - Parameter valueReading: Whether files may be mapped to which nothing is written any more.
    init(_ valueReading: ValueReading = .positioned) {
        mapsFiles = valueReading == .mapped
        precondition(RecordLocation.firstLogExtent == 1 << Self.regionBits)
        let cells = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
        cells.initializeMemory(as: UInt64.self, repeating: 0, count: 8)
        self.cells = cells
        state = Locked(
            State(
                snapshots: Region(firstExtent: 0, cell: cells),
                logs: Region(firstExtent: RecordLocation.firstLogExtent, cell: cells + 8)))
    }

    deinit {
        for table in state.withLock({ $0.snapshots.tables + $0.logs.tables }) { table.deallocate() }
        cells.deallocate()
    }

    /// The first address after all segments.
    var endAddress: UInt64 { state.withLock { RecordLocation.address(extent: $0.logs.end, offset: 0) } }

    /// The number of log segments.
    var count: Int { state.withLock { $0.logs.list.count } }

    /// All segments, snapshots first.
    var all: [Segment] { state.withLock { $0.snapshots.list + $0.logs.list } }

    /// The segment of a location that the index has. Valid while the caller has the reclamation epoch or a read point
    /// pinned.
    @inline(__always)
    func segment(of location: RecordLocation) -> Unmanaged<Segment> {
        let extent = location.extent
        let cell = cells + 8 &* (extent &>> Self.regionBits)
        let table = UnsafeMutableRawPointer(bitPattern: UInt(Shared.loadAcquiring(cell))).unsafelyUnwrapped
        let entry = Shared.load64(table + 8 &* (extent & (1 &<< Self.regionBits &- 1)))
        return Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: UInt(entry)).unsafelyUnwrapped)
    }

    /// Adds a file after all others of its kind.
    ///
    /// - Parameter bytes: The size that it has or is intended to get.
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
        let end = segment.extent - region.firstExtent + Int(bytes / RecordLocation.extentBytes) + 1
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

    /// Nothing is written to a file any more.
    func seal(_ segment: Segment) { if mapsFiles { segment.allowMapping() } }

    /// Removes segments that no version of the index refers to, and that no thread reads any more.
    ///
    /// Their extents aren't used again. Doesn't close the files.
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

    /// Closes every file. Throws the first error after it has tried all.
    func closeAll() throws(FileSystemError) {
        var failure: FileSystemError?
        for segment in all {
            do throws(FileSystemError) { try segment.file.close() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}

extension FileSystemError {
    /// The same error with the segment's current path: a file keeps the path under which it was opened.
    func naming(_ segment: Segment) -> FileSystemError {
        var error = self
        error.path = segment.path
        return error
    }
}
