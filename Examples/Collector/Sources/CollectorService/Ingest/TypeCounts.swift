/// How many events of each type a request has.
struct TypeCounts {
    /// More types than this in one request are counted together, as ``others``.
    private static let maximum = 64
    private(set) var counts: [(hash: UInt64, name: String, count: Int)] = []
    private(set) var others = 0

    /// The number of events.
    var total: Int { counts.reduce(others) { $0 + $1.count } }

    /// Counts an event. Its type is hashed, and made a string only once in a request.
    mutating func count(_ type: JSONScanner.Text, in bytes: borrowing Span<UInt8>) {
        // FNV-1a. Two types with one hash would only be counted together.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in type.content { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
        for index in counts.indices where counts[index].hash == hash {
            counts[index].count += 1
            return
        }
        guard counts.count < Self.maximum else {
            others += 1
            return
        }
        counts.append((hash, String(decoding: JSONText.decode(type, in: bytes), as: UTF8.self), 1))
    }
}
