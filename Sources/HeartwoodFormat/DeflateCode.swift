/// A prefix code of a deflate block: from the bits of the stream to symbols.
///
/// Codes of up to `mostRootBits` bits take one look into a table; longer ones, which are rare, a walk over the lengths.
struct DeflateCode {
    /// What a symbol means, packed: kind, how many extra bits follow, and what they are added to.
    typealias Meaning = UInt32

    static let (literal, match, end, invalid): (Meaning, Meaning, Meaning, Meaning) = (0, 1 << 4, 2 << 4, 3 << 4)
    /// Bits of a packed meaning: the code's length, which the table adds, then its kind.
    static let (lengthMask, kindMask): (Meaning, Meaning) = (15, 3 << 4)

    static func match(base: Int, extraBits: Int) -> Meaning { match | Meaning(extraBits) << 6 | Meaning(base) << 16 }

    @inline(__always)
    static func extraBits(_ meaning: Meaning) -> UInt64 { UInt64(meaning >> 6 & 15) }
    @inline(__always)
    static func base(_ meaning: Meaning) -> Int { Int(meaning >> 16) }

    private static let (mostRootBits, mostSymbols, longest) = (10, 288, 15)

    private let table = UnsafeMutablePointer<Meaning>.allocate(capacity: 1 << mostRootBits)
    /// The symbols in the order of their codes, and how many codes there are of each length.
    private let symbols = UnsafeMutablePointer<UInt16>.allocate(capacity: mostSymbols)
    private let counts = UnsafeMutablePointer<Int>.allocate(capacity: longest + 1)
    /// Where the next symbol of each length goes, and its code.
    private let places = UnsafeMutablePointer<UInt16>.allocate(capacity: longest + 1)
    private let codes = UnsafeMutablePointer<UInt16>.allocate(capacity: longest + 1)
    private let meanings: UnsafeMutablePointer<Meaning>
    private var rootBits = 1

    init(_ meanings: [Meaning]) {
        self.meanings = .allocate(capacity: meanings.count)
        self.meanings.initialize(from: meanings, count: meanings.count)
    }

    func deallocate() {
        table.deallocate()
        symbols.deallocate()
        counts.deallocate()
        places.deallocate()
        codes.deallocate()
        meanings.deallocate()
    }

    /// Takes the code in which each symbol has a length; false where that is none.
    ///
    /// - Parameter mayBeSparse: Whether there may be no code, or a single one of one bit.
    mutating func build(_ lengths: UnsafePointer<UInt8>, count: Int, mayBeSparse: Bool) -> Bool {
        counts.update(repeating: 0, count: Self.longest + 1)
        var (left, most) = (1, 0)
        forEachUsed(lengths, count) { symbol in
            counts[Int(lengths[symbol])] += 1
            most = max(most, Int(lengths[symbol]))
        }
        var (offset, code) = (0, 0)
        for length in 1..<most + 1 {
            code = (code + counts[length - 1]) << 1
            places[length] = UInt16(truncatingIfNeeded: offset)
            codes[length] = UInt16(truncatingIfNeeded: code)
            offset += counts[length]
            left = left << 1 - counts[length]
            if left < 0 { return false }
        }
        if left > 0, !mayBeSparse || most > 1 { return false }
        rootBits = max(1, min(most, Self.mostRootBits))
        table.update(repeating: 0, count: 1 << rootBits)
        guard most > 0 else { return true }
        forEachUsed(lengths, count) { symbol in
            let length = Int(lengths[symbol])
            symbols[Int(places[length])] = UInt16(symbol)
            places[length] += 1
            let code = codes[length]
            codes[length] &+= 1
            guard length <= rootBits else { return }
            // Codes stand in the stream with their first bit lowest.
            var place = Int(code.bitReversed >> (16 - length))
            let entry = meanings[symbol] | Meaning(length)
            while place < 1 << rootBits {
                table[place] = entry
                place += 1 << length
            }
        }
        return true
    }

    /// Calls `body` with the symbols that have a code: few of many, in a block that was made to cost much.
    @inline(__always)
    private func forEachUsed(_ lengths: UnsafePointer<UInt8>, _ count: Int, _ body: (Int) -> Void) {
        let bytes = UnsafeRawPointer(lengths)
        var symbol = 0
        while symbol < count {
            if symbol + 8 <= count, bytes.loadUnaligned(fromByteOffset: symbol, as: UInt64.self) == 0 {
                symbol += 8
                continue
            }
            if lengths[symbol] > 0 { body(symbol) }
            symbol += 1
        }
    }

    /// The meaning of the code that the bits begin with, with the code's length; `invalid` where there is none.
    @inline(__always)
    func look(_ bits: UInt64) -> Meaning {
        let entry = table[Int(truncatingIfNeeded: bits & (1 << UInt64(rootBits) &- 1))]
        return entry != 0 ? entry : lookFar(bits)
    }

    @inline(never)
    private func lookFar(_ bits: UInt64) -> Meaning {
        var (code, first, index, rest) = (0, 0, 0, bits)
        for length in 1...Self.longest {
            code |= Int(rest & 1)
            rest >>= 1
            let count = counts[length]
            if code - count < first { return meanings[Int(symbols[index + code - first])] | Meaning(length) }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        return Self.invalid
    }
}

extension UInt16 {
    fileprivate var bitReversed: UInt16 {
        var bits = self
        bits = bits >> 1 & 0x5555 | (bits & 0x5555) << 1
        bits = bits >> 2 & 0x3333 | (bits & 0x3333) << 2
        bits = bits >> 4 & 0x0F0F | (bits & 0x0F0F) << 4
        return bits.byteSwapped
    }
}
