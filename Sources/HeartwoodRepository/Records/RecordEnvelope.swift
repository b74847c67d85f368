/// The head of a record: the version of its model, and its keys in the indexes, so that it can be deleted, replaced and
/// verified without being decoded. The encoded model follows. `Documentation/RecordLayout.md` describes it.
package struct RecordEnvelope: Sendable, Hashable {
    /// The keys of a record in one index.
    package struct Group: Sendable, Hashable {
        package var index: Int
        package var isUnique: Bool
        /// The encoded values of each entry, in ascending order, without duplicates.
        package var values: [[UInt8]]

        package init(index: Int, isUnique: Bool, values: [[UInt8]]) {
            (self.index, self.isUnique, self.values) = (index, isUnique, values)
        }
    }

    /// The layout that this code writes, and the only one that it reads.
    static let format: UInt8 = 1

    package var version: Int
    package var groups: [Group]

    package init(version: Int, groups: [Group]) { (self.version, self.groups) = (version, groups) }

    /// The encoded values of its entries in one index.
    package func values(in index: Int) -> [[UInt8]] {
        for group in groups where group.index == index { return group.values }
        return []
    }

    /// Its entries in all indexes.
    package func entries(_ layout: KeyLayout, id: [UInt8]) -> [IndexEntry] {
        groups.flatMap { group in
            group.values.map {
                IndexEntry(layout, index: group.index, isUnique: group.isUnique, values: $0, id: id)
            }
        }
    }

    /// The bytes of the record. O(bytes).
    package func encoded(with payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var capacity = payload.count + 8
        for group in groups { for values in group.values { capacity += values.count + 8 } }
        bytes.reserveCapacity(capacity)
        bytes.append(Self.format)
        Varint.append(UInt64(version), to: &bytes)
        Varint.append(UInt64(groups.count), to: &bytes)
        for group in groups {
            Varint.append(UInt64(group.index) << 1 | (group.isUnique ? 1 : 0), to: &bytes)
            Varint.append(UInt64(group.values.count), to: &bytes)
            for values in group.values {
                Varint.append(UInt64(values.count), to: &bytes)
                bytes.append(contentsOf: values)
            }
        }
        bytes.append(contentsOf: payload)
        return bytes
    }

    /// Reads the head of a record.
    ///
    /// - Returns: The head, and where the encoded model begins.
    /// - Throws: `.corruption` if these aren't the bytes of a record; `.unsupportedFormat` for a newer layout.
    package static func decode(_ bytes: RawSpan) throws(StoreError) -> (RecordEnvelope, payload: Int) {
        var groups: [Group] = []
        let (version, payload) = try walk(bytes) { index, isUnique, values in
            if let values {
                groups[groups.count - 1].values.append(values.withUnsafeBytes { [UInt8]($0) })
            } else {
                groups.append(Group(index: index, isUnique: isUnique, values: []))
            }
        }
        return (RecordEnvelope(version: version, groups: groups), payload)
    }

    /// The same, without the keys: allocates nothing.
    package static func head(_ bytes: RawSpan) throws(StoreError) -> (version: Int, payload: Int) {
        try walk(bytes) { _, _, _ in }
    }

    /// - Parameter visit: Called for each group, with no values, and then for each of its entries.
    @inline(__always)
    private static func walk(
        _ bytes: RawSpan, _ visit: (_ index: Int, _ isUnique: Bool, _ values: RawSpan?) -> Void
    ) throws(StoreError) -> (version: Int, payload: Int) {
        var offset = 1
        guard bytes.byteCount > 0 else { throw .notARecord }
        let format = bytes.unsafeLoad(as: UInt8.self)
        guard format == Self.format else { throw isNewer(format) ? newer(format) : .notARecord }
        let version = try Varint.read(bytes, &offset)
        let count = try Varint.read(bytes, &offset)
        guard version <= Int32.max else { throw .notARecord }
        for _ in 0..<count {
            let head = try Varint.read(bytes, &offset)
            guard head >> 1 <= Int32.max else { throw .notARecord }
            visit(Int(head >> 1), head & 1 == 1, nil)
            for _ in 0..<(try Varint.read(bytes, &offset)) {
                let length = try Varint.read(bytes, &offset)
                guard length <= UInt64(bytes.byteCount - offset) else { throw .notARecord }
                visit(Int(head >> 1), head & 1 == 1, bytes.extracting(offset..<offset + Int(length)))
                offset += Int(length)
            }
        }
        return (Int(version), offset)
    }

    /// Whether a first byte may be that of a newer layout. Text and most other bytes begin with none of these.
    package static func isNewer(_ format: UInt8) -> Bool { (Self.format + 1..<32) ~= format }

    private static func newer(_ format: UInt8) -> StoreError {
        StoreError(
            .unsupportedFormat,
            "a record has layout \(format), which is newer than this program: use a newer version of Heartwood")
    }

    package static func decode(_ bytes: [UInt8]) throws(StoreError) -> (RecordEnvelope, payload: Int) {
        try decode(bytes.span.bytes)
    }
}

extension [[UInt8]] {
    /// Whether it has an element, if its elements are in ascending order, as those of ``RecordEnvelope/Group/values``.
    ///
    /// - Complexity: O(log n) comparisons.
    func hasInOrder(_ element: [UInt8]) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if KeyOrder.compare(self[middle], element) < 0 { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == element
    }
}
