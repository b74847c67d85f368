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

    private let mapping = Locked<(any FileMapping)?>(nil)
    /// The address of the mapping; its count; whether it is to be mapped when it is read next; the extents that it has.
    private let cell: UnsafeMutableRawPointer

    init(extent: Int, header: FileHeader, file: any File, path: String) {
        self.extent = extent
        self.header = header
        self.file = file
        self.path = path
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

    /// The address of its first byte.
    var baseAddress: UInt64 { Place.address(extent: extent, offset: 0) }

    /// The first address that isn't its own.
    var endAddress: UInt64 { Place.address(extent: extent + extentCount, offset: 0) }

    /// What it takes to verify a record of it.
    @inline(__always)
    var identity: SegmentIdentity {
        SegmentIdentity(salt: header.salt, firstSequence: header.firstSequence, baseAddress: baseAddress)
    }

    /// The offset in the file of a place that lies in it.
    @inline(__always)
    func offset(of place: Place) -> UInt64 { (place.address &- baseAddress) << 3 }
}

/// What the records of a segment are bound to.
struct SegmentIdentity {
    let salt: UInt32
    let firstSequence: SequenceNumber
    let baseAddress: UInt64

    /// Of no segment.
    static var none: SegmentIdentity { SegmentIdentity(salt: 0, firstSequence: 0, baseAddress: 0) }

    @inline(__always)
    func offset(of place: Place) -> UInt64 { (place.address &- baseAddress) << 3 }
}

/// The segments of an opening, by the extents that they take.
///
/// Readers look segments up without a lock. The invariants under `@unchecked Sendable`: an entry of `table` is written
/// once, before any place in it is published; a table that is replaced stays until the end, for readers who still have
/// its address; and `list` keeps every segment alive until then.
final class SegmentTable: @unchecked Sendable {
    private struct State {
        var list: [Segment] = []
        var extents = 0
        var capacity = 0
        var tables: [UnsafeMutablePointer<UInt64>] = []
    }

    private let state = Locked(State())
    /// The address of the present table.
    private let cell = SharedWord()

    deinit {
        for table in state.withLock({ $0.tables }) { table.deallocate() }
        cell.deallocate()
    }

    /// The first address behind all segments.
    var endAddress: UInt64 { state.withLock { Place.address(extent: $0.extents, offset: 0) } }

    var count: Int { state.withLock { $0.list.count } }

    var all: [Segment] { state.withLock { $0.list } }

    /// The segment of a place that the index has. Valid as long as this is.
    @inline(__always)
    func segment(of place: Place) -> Unmanaged<Segment> {
        let table = UnsafeMutableRawPointer(bitPattern: UInt(cell.value)).unsafelyUnwrapped
        let entry = Shared.load64(table + 8 &* place.extent)
        return Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: UInt(entry)).unsafelyUnwrapped)
    }

    /// Adds a segment behind all others.
    ///
    /// - Parameter bytes: The size that it has, or is meant to get.
    func add(_ header: FileHeader, file: any File, path: String, bytes: UInt64) -> Segment {
        state.withLock { state in
            let segment = Segment(extent: state.extents, header: header, file: file, path: path)
            state.list.append(segment)
            extend(segment, to: bytes, &state)
            return segment
        }
    }

    /// Gives the last segment addresses up to a size.
    func extend(_ segment: Segment, to bytes: UInt64) {
        state.withLock { extend(segment, to: bytes, &$0) }
    }

    private func extend(_ segment: Segment, to bytes: UInt64, _ state: inout State) {
        precondition(segment === state.list.last, "only the last segment can grow")
        let end = segment.extent + Int(bytes / Place.extentBytes) + 1
        precondition(end <= Place.extentLimit, "more segments than can be numbered")
        if end > state.capacity { grow(toFit: end, &state) }
        let table = state.tables.last!
        let entry = UInt64(UInt(bitPattern: Unmanaged.passUnretained(segment).toOpaque()))
        for extent in state.extents..<max(end, state.extents) { Shared.store64(entry, table + extent) }
        state.extents = max(end, state.extents)
        segment.extentCount = state.extents - segment.extent
        cell.set(UInt64(UInt(bitPattern: table)))
    }

    private func grow(toFit count: Int, _ state: inout State) {
        let capacity = max(64, count * 2)
        let table = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
        table.initialize(repeating: 0, count: capacity)
        if let old = state.tables.last { table.update(from: old, count: state.extents) }
        state.tables.append(table)
        state.capacity = capacity
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
