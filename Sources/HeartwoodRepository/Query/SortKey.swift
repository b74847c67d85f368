/// The place of a result in the order of a query, as bytes that compare in that order.
struct SortKey: Sendable, Hashable, Comparable {
    let bytes: [UInt8]

    /// From the encoded values of the sorts, then the id.
    ///
    /// An element of descending order is inverted. A byte after each element decides between an element and a longer
    /// one that begins with it, which has 0xFF there: 0x00, inverted 0xFF.
    init(_ parts: [[UInt8]], descending: [Bool]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parts.reduce(parts.count) { $0 + $1.count })
        let last = descending.last ?? false
        for (position, part) in parts.enumerated() {
            let isDescending = position < descending.count ? descending[position] : last
            if isDescending {
                for byte in part { bytes.append(~byte) }
                bytes.append(0xFF)
            } else {
                bytes.append(contentsOf: part)
                bytes.append(0x00)
            }
        }
        self.bytes = bytes
    }

    static func < (left: SortKey, right: SortKey) -> Bool { KeyOrder.compare(left.bytes, right.bytes) < 0 }
}

extension Query {
    /// The encoded values of the sorts of a result, then its id.
    func sortParts(of result: QueryResult<Model>) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        parts.reserveCapacity(sort.count + 1)
        for sort in sort {
            var encoder = TupleEncoder()
            sort.append(result.model, &encoder)
            parts.append(encoder.bytes)
        }
        parts.append(result.id)
        return parts
    }

    func sortKey(of parts: [[UInt8]]) -> SortKey { SortKey(parts, descending: sort.map(\.isDescending)) }
}
