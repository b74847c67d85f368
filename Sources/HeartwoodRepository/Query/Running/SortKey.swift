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
    /// The encoded values of the sorts of a model, then its id.
    func sortParts(of model: Model, id: [UInt8]) -> [[UInt8]] {
        var parts = sort.map { sort in
            var encoder = TupleEncoder()
            sort.append(model, &encoder)
            return encoder.bytes
        }
        parts.append(id)
        return parts
    }

    func sortKey(of parts: [[UInt8]]) -> SortKey { SortKey(parts, descending: sort.map(\.isDescending)) }
}
