/// The identity of an event: its time, and a number that no other event of the store has.
///
/// The bytes of ids, and their text, are in the order of the times, and then of arrival.
struct EventID: Hashable, Comparable {
    static let byteCount = 16

    /// Milliseconds since 1970: 48 bits.
    let time: UInt64
    /// Which opening of the store gave the number; see ``EventNumbers``.
    let epoch: UInt32
    /// Counts the events of the epoch: 48 bits.
    let number: UInt64

    init(time: UInt64, epoch: UInt32, number: UInt64) {
        (self.time, self.epoch, self.number) = (time & 0xFFFF_FFFF_FFFF, epoch, number & 0xFFFF_FFFF_FFFF)
    }

    /// Nil if there aren't 16 bytes.
    init?(_ bytes: some RandomAccessCollection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        func integer(_ range: Range<Int>) -> UInt64 {
            bytes.dropFirst(range.lowerBound).prefix(range.count).reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(time: integer(0..<6), epoch: UInt32(integer(6..<10)), number: integer(10..<16))
    }

    /// Parses a text of 32 hexadecimal digits.
    init?(_ text: some StringProtocol) {
        let digits = text.utf8.compactMap(HexDigits.value)
        guard text.utf8.count == 2 * Self.byteCount, digits.count == text.utf8.count else { return nil }
        self.init(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    private var words: (high: UInt64, low: UInt64) {
        (time << 16 | UInt64(epoch >> 16), UInt64(epoch & 0xFFFF) << 48 | number)
    }

    /// Calls `body` with each of the 16 bytes.
    @inline(__always)
    func forEachByte(_ body: (UInt8) -> Void) {
        let (high, low) = words
        for shift in stride(from: 56, through: 0, by: -8) { body(UInt8(truncatingIfNeeded: high >> UInt64(shift))) }
        for shift in stride(from: 56, through: 0, by: -8) { body(UInt8(truncatingIfNeeded: low >> UInt64(shift))) }
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        forEachByte { bytes.append($0) }
        return bytes
    }

    static func < (left: EventID, right: EventID) -> Bool { left.words < right.words }
}

extension EventID: CustomStringConvertible {
    /// 32 hexadecimal digits.
    var description: String { HexDigits.text(bytes) }
}
