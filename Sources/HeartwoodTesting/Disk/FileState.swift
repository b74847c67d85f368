internal import HeartwoodFileSystem

/// A file as its users see it, and what would be found of it after a crash.
///
/// Each sector has versions: the durable one, and one for each later change that touches it. A crash may leave any
/// version, for each sector independently. Sizes have versions in the same way, independently of the data.
struct FileState: Sendable {
    /// A change of the bytes that a crash may lose.
    struct Change: Sendable {
        enum Kind: Sendable {
            case write(offset: UInt64, Payload)
            /// A truncation: zeros from this offset on.
            case zero(from: UInt64)
        }
        let kind: Kind
        /// The sectors that the change gives a new version. Sectors that it leaves unchanged are not included.
        var sectors: [Int]
    }

    static let sectorSize = 512

    /// What the file's users see.
    private(set) var cache = PagedBytes()
    /// What a crash is certain to leave, if nothing is pending.
    private(set) var durable = PagedBytes()
    /// Changes since the last sync, oldest first.
    private(set) var pending: [Change] = []
    /// Changes that a failed sync dropped. Some may have reached the disk before the sync failed. No later sync writes
    /// them. The users still see them.
    private(set) var stranded: [Change] = []
    /// Sizes since the last sync, oldest first.
    private(set) var pendingSizes: [UInt64] = []
    private(set) var strandedSizes: [UInt64] = []
    /// How many changes each uncertain sector has.
    private(set) var uncertain: [Int: Int] = [:]
    /// The blocks that take disk space.
    private(set) var blocks = BlockSet(blockSize: 4096)
    /// The sectors that a write has covered and a sync has made durable. A crash leaves no garbage in them, even if
    /// they are zeros.
    private var covered = BlockSet(blockSize: FileState.sectorSize)

    init() {}

    /// A file with these durable bytes.
    init(_ bytes: PagedBytes) {
        cache = bytes
        durable = bytes
        blocks.insert(0..<bytes.size)
        covered.insert(0..<bytes.size)
    }

    /// Every size that a crash may leave: the durable one first, the newest last.
    var possibleSizes: [UInt64] { [durable.size] + strandedSizes + pendingSizes }

    /// Whether a crash may leave the file in different states.
    var isUncertain: Bool { !uncertain.isEmpty || !strandedSizes.isEmpty || !pendingSizes.isEmpty }

    // MARK: - Changes

    mutating func write(_ payload: Payload, at offset: UInt64) {
        let size = cache.size
        payload.withBytes { bytes in
            let touched = sectors(of: offset..<(offset + UInt64(bytes.count))).filter { sector in
                uncertain[sector] != nil
                    || !cache.holds(part(of: bytes, at: offset, in: sector), at: start(offset, sector))
            }
            note(Change(kind: .write(offset: offset, payload), sectors: touched))
            cache.write(bytes, at: offset)
            blocks.insert(offset..<(offset + UInt64(bytes.count)))
        }
        noteSize(before: size)
    }

    mutating func allocate(_ range: Range<UInt64>) {
        let size = cache.size
        blocks.insert(range)
        if range.upperBound > size { cache.resize(to: range.upperBound) }
        noteSize(before: size)
    }

    mutating func truncate(to size: UInt64) {
        let before = cache.size
        if size < before {
            let touched = sectors(of: size..<before).filter {
                uncertain[$0] != nil || !cache.isZero(in: start(size, $0)..<end(of: $0))
            }
            note(Change(kind: .zero(from: size), sectors: touched))
            blocks.cut(to: size)
        }
        cache.resize(to: size)
        noteSize(before: before)
    }

    /// Makes the pending changes durable.
    mutating func sync() {
        guard !pending.isEmpty || !pendingSizes.isEmpty else { return }
        for change in pending {
            if case .write(let offset, let payload) = change.kind {
                covered.insert(offset..<(offset + UInt64(payload.count)))
            }
        }
        if stranded.isEmpty {
            durable = cache
            uncertain = [:]
        } else {
            let size = cache.size
            let written = Set(pending.flatMap(\.sectors))
            for sector in written {
                durable.copy(start(0, sector)..<end(of: sector), from: cache)
                uncertain[sector] = nil
            }
            for index in stranded.indices { stranded[index].sectors.removeAll { written.contains($0) } }
            stranded.removeAll { $0.sectors.isEmpty }
            durable.resize(to: size)
        }
        pending = []
        pendingSizes = []
        // A sync after a write or a change of size also saves the size that is needed to read the bytes back.
        strandedSizes = []
    }

    /// Drops the pending changes, as Linux does after a device error. A later sync has nothing to do.
    mutating func failSync() {
        stranded += pending.lazy.filter { !$0.sectors.isEmpty }
        strandedSizes += pendingSizes
        pending = []
        pendingSizes = []
    }

    /// Shows other bytes to the users, which a crash does not leave: the name of the lock's holder.
    mutating func show(_ bytes: [UInt8]) { cache = PagedBytes(bytes) }

    mutating func rememberHashes() {
        // Both, because a sync makes the cached bytes durable.
        cache.rememberHashes()
        durable.rememberHashes()
    }

    private mutating func note(_ change: Change) {
        // A write that changes no byte still makes its size durable with the next sync.
        pending.append(change)
        for sector in change.sectors { uncertain[sector, default: 0] += 1 }
    }

    private mutating func noteSize(before size: UInt64) {
        if cache.size != size { pendingSizes.append(cache.size) }
    }

    // MARK: - After a crash

    /// The content of the file after a crash.
    ///
    /// - Parameters:
    ///   - size: One of the possible sizes.
    ///   - versions: How many of the changes of an uncertain sector have reached the disk.
    ///   - garbage: Bytes for a sector that no durable write has covered, if no change of it has reached the disk: the
    ///     former content of its block. nil for zeros.
    func afterCrash(
        size: UInt64, versions: (Int) -> Int, garbage: (Int) -> [UInt8]?
    ) -> PagedBytes {
        var bytes = durable
        var seen: [Int: Int] = [:]
        for change in stranded + pending {
            for sector in change.sectors {
                let number = seen[sector, default: 0]
                seen[sector] = number + 1
                let kept = versions(sector)
                if number < kept {
                    apply(change, in: sector, to: &bytes)
                } else if number == 0, kept == 0, !covered.contains(sector), let noise = garbage(sector) {
                    noise.withUnsafeBytes { bytes.put($0, at: UInt64(sector * Self.sectorSize)) }
                }
            }
        }
        bytes.resize(to: size)
        return bytes
    }

    private func apply(_ change: Change, in sector: Int, to bytes: inout PagedBytes) {
        switch change.kind {
        case .write(let offset, .bytes(let payload)):
            payload.withUnsafeBytes { bytes.put(part(of: $0, at: offset, in: sector), at: start(offset, sector)) }
        case .write(let offset, .zeros(let count)):
            bytes.zero(start(offset, sector)..<min(offset + UInt64(count), end(of: sector)))
        case .zero(let from):
            bytes.zero(start(from, sector)..<end(of: sector))
        }
    }

    // MARK: - Sectors

    private func sectors(of range: Range<UInt64>) -> Range<Int> {
        guard !range.isEmpty else { return 0..<0 }
        let size = UInt64(Self.sectorSize)
        return Int(range.lowerBound / size)..<Int((range.upperBound - 1) / size + 1)
    }

    /// The start of a change within a sector, if the change begins at `offset`.
    private func start(_ offset: UInt64, _ sector: Int) -> UInt64 {
        max(offset, UInt64(sector * Self.sectorSize))
    }

    private func end(of sector: Int) -> UInt64 { UInt64((sector + 1) * Self.sectorSize) }

    private func part(of bytes: UnsafeRawBufferPointer, at offset: UInt64, in sector: Int) -> UnsafeRawBufferPointer {
        let from = Int(start(offset, sector) - offset)
        let to = min(bytes.count, Int(end(of: sector) - offset))
        return UnsafeRawBufferPointer(rebasing: bytes[from..<to])
    }
}

/// Bytes of a write. Zeros take no memory.
enum Payload: Sendable {
    case bytes([UInt8])
    case zeros(Int)

    init(_ bytes: UnsafeRawBufferPointer) {
        self = bytes.isAllZero ? .zeros(bytes.count) : .bytes([UInt8](bytes))
    }

    var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .zeros(let count): count
        }
    }

    func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        switch self {
        case .bytes(let bytes): bytes.withUnsafeBytes(body)
        case .zeros(let count): [UInt8](repeating: 0, count: count).withUnsafeBytes(body)
        }
    }
}
