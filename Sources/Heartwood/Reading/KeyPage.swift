/// Keys with their versions, in the order of a walk. Used again for the next page: its memory is kept.
struct KeyPage {
    private var bytes: ContiguousArray<UInt8> = []
    private var entries: ContiguousArray<(end: Int, version: Version)> = []

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
    }

    @inline(__always)
    mutating func append(_ key: UnsafeRawBufferPointer, _ version: Version) {
        bytes.append(contentsOf: key)
        entries.append((bytes.count, version))
    }

    @inline(__always)
    func version(_ index: Int) -> Version { entries[index].version }

    @inline(__always)
    func withKey<R, E: Error>(
        _ index: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        let start = index == 0 ? 0 : entries[index - 1].end
        let count = entries[index].end - start
        return try bytes.span.bytes.withUnsafeBytes { (bytes) throws(E) in
            try body(UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
        }
    }

    func key(_ index: Int) -> [UInt8] { withKey(index) { [UInt8]($0) } }
}
