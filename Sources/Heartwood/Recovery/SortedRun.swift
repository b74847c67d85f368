internal import CHeartwood
internal import HeartwoodFormat

/// Keys with versions. They are added in any order, then sorted; only the newest version of each key is kept.
///
/// Keys are sorted by the eight bytes at which they begin to differ, byte by byte in place (McIlroy, Bostic and
/// McIlroy, "Engineering radix sort", 1993). Keys with the same eight bytes are sorted by the next eight. 10 million
/// random keys of 16 bytes take 0.46 s; the standard library's sort takes 1.25 s.
struct SortedRun {
    /// A key with its record location: 24 bytes, which are moved instead of the key.
    struct Reference {
        /// The eight bytes of the key by which it is being sorted.
        var head: UInt64
        /// Offset of the key in `bytes`, and its length in the low 16 bits.
        var key: UInt64
        /// The word of the record location. Bit 63: `specials` has its version.
        var location: UInt64

        var length: Int { Int(key & 0xFFFF) }
        var offset: Int { Int(key >> 16) }
    }

    private var references: ContiguousArray<Reference> = []
    private var bytes: ContiguousArray<UInt8> = []
    /// Versions with an expiry, and tombstones, by the word of their location.
    private var specials: [UInt64: Version] = [:]
    private(set) var hasTombstones = false
    private(set) var mayExpire = false
    /// The highest address of the versions.
    private(set) var lastAddress: UInt64 = 0

    private static var special: UInt64 { 1 << 63 }

    var isEmpty: Bool { references.isEmpty }
    var count: Int { references.count }
    var byteCount: Int {
        references.count * MemoryLayout<Reference>.stride + bytes.count + specials.count * Self.specialBytes
    }

    /// Approximate bytes of a dictionary entry.
    private static var specialBytes: Int { 2 * (8 + MemoryLayout<Version>.stride) }

    mutating func add(_ key: UnsafeRawBufferPointer, _ version: Version) {
        lastAddress = version.address
        var location = version.location.word
        if version.expiry != 0 || version.isTombstone {
            specials[location] = version
            hasTombstones = hasTombstones || version.isTombstone
            mayExpire = mayExpire || version.expiry != 0
            location |= Self.special
        }
        references.append(
            Reference(head: 0, key: UInt64(bytes.count) << 16 | UInt64(key.count), location: location))
        bytes.append(contentsOf: key)
    }

    func version(_ index: Int) -> Version {
        let location = references[index].location
        if location & Self.special == 0 { return Version(location: RecordLocation(word: location)) }
        return specials[location & ~Self.special]!
    }

    @inline(__always)
    func withKey<R>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        bytes.withUnsafeBytes { bytes in
            // Sorted keys are spread over memory, so later ones are prefetched.
            if index + 16 < references.count {
                heartwood_prefetch(bytes.baseAddress! + references[index + 16].offset)
            }
            let reference = references[index]
            return body(
                UnsafeRawBufferPointer(start: bytes.baseAddress! + reference.offset, count: reference.length))
        }
    }

    // MARK: - Sorting

    /// Sorts the keys, and drops all versions except the newest of each. O(bytes of keys).
    mutating func sort() {
        references.withUnsafeMutableBufferPointer { references in
            bytes.withUnsafeBytes { bytes in
                var sorter = ReferenceSorter(references: references.baseAddress!, bytes: bytes.baseAddress!)
                sorter.sort(0..<references.count, from: sorter.commonPrefix(references.count))
            }
        }
        dropSuperseded()
    }

    private mutating func dropSuperseded() {
        var kept = 0
        bytes.withUnsafeBytes { bytes in
            func key(_ reference: Reference) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(start: bytes.baseAddress! + reference.offset, count: reference.length)
            }
            for index in references.indices {
                let reference = references[index]
                // Heads usually differ; only equal heads need a comparison of the keys.
                if kept > 0, references[kept - 1].length == reference.length,
                    references[kept - 1].head == reference.head, key(references[kept - 1]).isEqual(to: key(reference))
                {
                    references[kept - 1] = reference
                } else {
                    references[kept] = reference
                    kept += 1
                }
            }
        }
        references.removeLast(references.count - kept)
    }
}

/// Sorts references by their keys, and those of the same key by their locations.
struct ReferenceSorter {
    typealias Reference = SortedRun.Reference
    let references: UnsafeMutablePointer<Reference>
    let bytes: UnsafeRawPointer
    /// Ranges of keys that share their first `depth` bytes and must be sorted by the following ones. A list instead of
    /// recursion: long keys that differ late would need more stack than there is.
    private var unsorted: [(range: Range<Int>, depth: Int)] = []

    private static var few: Int { 24 }

    init(references: UnsafeMutablePointer<Reference>, bytes: UnsafeRawPointer) {
        self.references = references
        self.bytes = bytes
    }

    /// The number of leading bytes that all keys share. They need no sorting.
    func commonPrefix(_ count: Int) -> Int {
        guard count > 1 else { return 0 }
        let first = key(references[0])
        var common = first.count
        for index in 1..<count where common > 0 {
            let key = key(references[index])
            if key.count >= common, key.slice(0, common).isEqual(to: first.slice(0, common)) { continue }
            common = KeyOrder.commonPrefix(first.slice(0, common), key)
        }
        return common
    }

    private func key(_ reference: Reference) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes + reference.offset, count: reference.length)
    }

    /// Sorts references whose keys share the first `depth` bytes.
    mutating func sort(_ range: Range<Int>, from depth: Int) {
        unsorted.append((range, depth))
        while let (range, depth) = unsorted.popLast() {
            for index in range {
                let key = key(references[index])
                references[index].head = KeyOrder.head(of: UnsafeRawBufferPointer(rebasing: key.dropFirst(depth)))
            }
            sortByHead(range, shift: 56, depth)
        }
    }

    private mutating func sortByHead(_ range: Range<Int>, shift: Int, _ depth: Int) {
        if range.count <= Self.few {
            insertionSort(range, depth)
            refine(range, depth)
            return
        }
        guard shift >= 0 else {
            refine(range, depth)
            return
        }
        let ends = distribute(range, by: shift)
        var start = range.lowerBound
        for end in ends where end > start {
            sortByHead(start..<end, shift: shift - 8, depth)
            start = end
        }
    }

    /// Groups references by one byte of their heads, in the order of that byte; returns the end of each group.
    private func distribute(_ range: Range<Int>, by shift: Int) -> [Int] {
        var next = [Int](repeating: 0, count: 256)
        for index in range { next[byte(index, shift)] += 1 }
        var ends = next
        var end = range.lowerBound
        for value in 0..<256 {
            next[value] = end
            end += ends[value]
            ends[value] = end
        }
        for value in 0..<256 {
            while next[value] < ends[value] {
                var reference = references[next[value]]
                var target = Int(truncatingIfNeeded: reference.head >> UInt64(shift) & 0xFF)
                while target != value {
                    swap(&reference, &references[next[target]])
                    next[target] += 1
                    target = Int(truncatingIfNeeded: reference.head >> UInt64(shift) & 0xFF)
                }
                references[next[value]] = reference
                next[value] += 1
            }
        }
        return ends
    }

    @inline(__always)
    private func byte(_ index: Int, _ shift: Int) -> Int {
        Int(truncatingIfNeeded: references[index].head >> UInt64(shift) & 0xFF)
    }

    private func insertionSort(_ range: Range<Int>, _ depth: Int) {
        for index in range.dropFirst() {
            let reference = references[index]
            var hole = index
            while hole > range.lowerBound, reference.head < references[hole - 1].head {
                references[hole] = references[hole - 1]
                hole -= 1
            }
            references[hole] = reference
        }
    }

    /// Sorts references with equal heads: first the keys that end within the head, by their lengths, then the longer
    /// ones by the following bytes.
    private mutating func refine(_ range: Range<Int>, _ depth: Int) {
        var start = range.lowerBound
        while start < range.upperBound {
            var end = start + 1
            while end < range.upperBound, references[end].head == references[start].head { end += 1 }
            if end - start > 1 { sortEqualHeads(start..<end, depth) }
            start = end
        }
    }

    private mutating func sortEqualHeads(_ range: Range<Int>, _ depth: Int) {
        let reach = depth + 8
        var equal = UnsafeMutableBufferPointer(start: references + range.lowerBound, count: range.count)
        equal.sort { a, b in
            let (aLength, bLength) = (min(a.length, reach + 1), min(b.length, reach + 1))
            return aLength != bLength ? aLength < bLength : a.location << 1 < b.location << 1
        }
        let longer = range.first { references[$0].length > reach } ?? range.upperBound
        if longer + 1 < range.upperBound { unsorted.append((longer..<range.upperBound, reach)) }
    }
}
