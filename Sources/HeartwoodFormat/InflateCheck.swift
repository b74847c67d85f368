/// Looks whether stored forms are what ``Inflater`` reads, a piece at a time, without making the value.
///
/// It follows the stream's symbols and counts what they yield. So a value costs what its stored form costs, and not what it
/// inflates to, which may be a thousand times as much.
package final class InflateCheck {
    private enum Mode { case header, stored(left: Int), symbols, ended }

    private var literals = DeflateCode(InflateCheck.literalMeanings)
    private var distances = DeflateCode(InflateCheck.distanceMeanings)
    private var codeLengths = DeflateCode((0..<19).map { DeflateCode.match(base: $0, extraBits: 0) })
    private let lengths = UnsafeMutablePointer<UInt8>.allocate(capacity: 320)
    /// What was added and isn't used up.
    private var input: [UInt8] = []
    private var mode = Mode.header
    private var isFinalBlock = false
    private var hasFixedCodes = false
    /// How many bits of the input's first byte are used up.
    private var usedBits = 0
    private var prefix: [UInt8] = []
    private var (storedLength, declared, made) = (0, 0, 0)
    private var isSound = false

    /// A block's header takes no more bytes than this: 3 + 14 + 19 * 3 bits, and 14 for each of 316 lengths.
    private static let mostHeaderBytes = 576

    package init() {}

    deinit {
        literals.deallocate()
        distances.deallocate()
        codeLengths.deallocate()
        lengths.deallocate()
    }

    private static let literalMeanings: [DeflateCode.Meaning] = {
        var meanings = [DeflateCode.Meaning](repeating: DeflateCode.literal, count: 256) + [DeflateCode.end]
        var base = 3
        for symbol in 0..<28 {
            let extra = symbol < 8 ? 0 : symbol / 4 - 1
            meanings.append(DeflateCode.match(base: base, extraBits: extra))
            base += 1 << extra
        }
        return meanings + [DeflateCode.match(base: 258, extraBits: 0), DeflateCode.invalid, DeflateCode.invalid]
    }()

    private static let distanceMeanings: [DeflateCode.Meaning] = {
        var meanings: [DeflateCode.Meaning] = []
        var base = 1
        for symbol in 0..<30 {
            let extra = symbol < 4 ? 0 : symbol / 2 - 1
            meanings.append(DeflateCode.match(base: base, extraBits: extra))
            base += 1 << extra
        }
        return meanings + [DeflateCode.invalid, DeflateCode.invalid]
    }()

    /// Begins with a stored form of so many bytes.
    package func begin(_ storedLength: Int) {
        self.storedLength = storedLength
        (declared, made, usedBits) = (0, 0, 0)
        (mode, isFinalBlock) = (.header, false)
        prefix.removeAll(keepingCapacity: true)
        input.removeAll(keepingCapacity: true)
        isSound = storedLength > 4
    }

    /// Adds the next piece. O(bytes of it).
    package func add(_ piece: UnsafeRawBufferPointer) {
        var rest = piece
        if prefix.count < 4 {
            let missing = min(4 - prefix.count, rest.count)
            prefix += rest.prefix(missing)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(missing))
            guard prefix.count == 4 else { return }
            declared = Int(prefix.withUnsafeBytes { $0.load(UInt32.self, littleEndianAt: 0) })
            if !Inflater.canYield(declared, from: storedLength) { isSound = false }
        }
        guard isSound, !rest.isEmpty else { return }
        input.append(contentsOf: rest)
        follow(upTo: input.count, isLast: false)
    }

    /// What is wrong with the stored form; nil where nothing is.
    package func end() -> FormatError? {
        if isSound {
            let count = input.count
            input.append(contentsOf: repeatElement(0, count: Self.mostHeaderBytes + 16))
            follow(upTo: count, isLast: true)
            // Nothing may follow the end of the stream.
            guard case .ended = mode, input.count == Self.mostHeaderBytes + 16 else { return damage }
        }
        return isSound && made == declared ? nil : damage
    }

    private var damage: FormatError { .invalidField(.compressedValue) }

    // MARK: - Following the stream

    /// Follows the stream as far as there are bytes for what may come next, and drops those that are used up.
    ///
    /// - Parameter isLast: Whether nothing more comes: then zeros stand behind the input, which count as its end.
    private func follow(upTo count: Int, isLast: Bool) {
        var (mode, isSound) = (mode, isSound)
        let used = input.withUnsafeBytes { bytes -> Int in
            var bits = DeflateBits(bytes.baseAddress!, usedBits)
            steps: while isSound {
                switch mode {
                case .header:
                    guard isLast || bits.bytesUsed + Self.mostHeaderBytes <= count else { break steps }
                    isSound = readHeader(&bits, &mode)
                case .stored(let left):
                    let here = min(left, max(0, count - bits.bytesUsed))
                    bits.skip(bytes: here)
                    made += here
                    mode = here < left ? .stored(left: left - here) : isFinalBlock ? .ended : .header
                    if here < left { break steps }
                case .symbols:
                    isSound = readSymbols(&bits, &mode, upTo: count, isLast: isLast)
                    if case .symbols = mode { break steps }
                case .ended: break steps
                }
                if isLast, bits.position > 8 * count { isSound = false }
            }
            usedBits = bits.position
            return min(count, usedBits >> 3)
        }
        if case .ended = mode { usedBits = (usedBits + 7) & ~7 }
        let whole = min(count, max(used, usedBits >> 3))
        input.removeFirst(whole)
        usedBits -= 8 * whole
        self.mode = mode
        self.isSound = isSound && made <= declared
    }

    private func readHeader(_ bits: inout DeflateBits, _ mode: inout Mode) -> Bool {
        isFinalBlock = bits.take(1) == 1
        switch bits.take(2) {
        case 0:
            bits.align()
            let (length, complement) = (bits.take(16), bits.take(16))
            mode = .stored(left: length)
            return length == complement ^ 0xFFFF
        case 1:
            mode = .symbols
            return takeFixedCodes()
        case 2:
            mode = .symbols
            return readCodes(&bits)
        default: return false
        }
    }

    private func takeFixedCodes() -> Bool {
        guard !hasFixedCodes else { return true }
        hasFixedCodes = true
        for symbol in 0..<288 { lengths[symbol] = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8 }
        let isCode = literals.build(lengths, count: 288, mayBeSparse: false)
        lengths.update(repeating: 5, count: 32)
        return distances.build(lengths, count: 32, mayBeSparse: false) && isCode
    }

    private let lengthOrder: [UInt8] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private func readCodes(_ bits: inout DeflateBits) -> Bool {
        hasFixedCodes = false
        let (literalCount, distanceCount, count) = (bits.take(5) + 257, bits.take(5) + 1, bits.take(4) + 4)
        guard literalCount <= 286, distanceCount <= 30 else { return false }
        lengths.update(repeating: 0, count: 19)
        for index in 0..<count { lengths[Int(lengthOrder[index])] = UInt8(bits.take(3)) }
        guard codeLengths.build(lengths, count: 19, mayBeSparse: false) else { return false }
        let all = literalCount + distanceCount
        var index = 0
        while index < all {
            let meaning = bits.read(codeLengths)
            guard meaning & DeflateCode.kindMask == DeflateCode.match else { return false }
            let symbol = DeflateCode.base(meaning)
            if symbol < 16 {
                lengths[index] = UInt8(symbol)
                index += 1
                continue
            }
            var repeated: UInt8 = 0
            if symbol == 16 {
                guard index > 0 else { return false }
                repeated = lengths[index - 1]
            }
            let times = symbol == 16 ? 3 + bits.take(2) : symbol == 17 ? 3 + bits.take(3) : 11 + bits.take(7)
            guard index + times <= all else { return false }
            (lengths + index).update(repeating: repeated, count: times)
            index += times
        }
        return lengths[256] > 0 && literals.build(lengths, count: literalCount, mayBeSparse: true)
            && distances.build(lengths + literalCount, count: distanceCount, mayBeSparse: true)
    }

    /// Symbols to the end of the block, or of what is surely there.
    private func readSymbols(_ bits: inout DeflateBits, _ mode: inout Mode, upTo count: Int, isLast: Bool) -> Bool {
        let (literals, distances) = (literals, distances)
        let last = isLast ? Int.max : 8 * count - 64
        let end = 8 * count
        var made = made
        defer { self.made = made }
        while bits.position <= last {
            if isLast, bits.position > end { return false }
            bits.refill()
            let before = bits
            var meaning = bits.take(literals)
            if meaning & DeflateCode.kindMask == DeflateCode.literal {
                made += 1
                meaning = bits.look(literals)
                guard meaning & DeflateCode.kindMask == DeflateCode.literal else { continue }
                bits.drop(meaning)
                made += 1
                continue
            }
            guard meaning & DeflateCode.kindMask == DeflateCode.match else {
                guard meaning & DeflateCode.kindMask == DeflateCode.end else { return false }
                mode = isFinalBlock ? .ended : .header
                return true
            }
            let length = bits.value(meaning)
            let far = bits.take(distances)
            guard far & DeflateCode.kindMask == DeflateCode.match, bits.value(far) <= made else { return false }
            // Long runs are the same match over and over.
            made += length * (1 + bits.takeRepeats(since: before))
        }
        return true
    }
}

/// The bits of a deflate stream, the lowest of each byte first. The bytes from the position on, and 8 behind what is taken,
/// must be there.
private struct DeflateBits {
    private let base: UnsafeRawPointer
    private var next: Int
    private var bits: UInt64 = 0
    private var count = 0

    init(_ base: UnsafeRawPointer, _ usedBits: Int) {
        self.base = base
        next = usedBits >> 3
        refill()
        bits >>= UInt64(usedBits & 7)
        count -= usedBits & 7
    }

    /// How many bits are taken.
    @inline(__always)
    var position: Int { 8 &* next &- count }
    var bytesUsed: Int { (position + 7) >> 3 }

    /// Sees to 56 bits.
    @inline(__always)
    mutating func refill() {
        let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: next, as: UInt64.self))
        bits |= word &<< UInt64(truncatingIfNeeded: count)
        next &+= (63 &- count) >> 3
        count |= 56
    }

    /// Takes what repeats the bits that were taken since an earlier state, as often as it surely does; how often.
    @inline(__always)
    mutating func takeRepeats(since before: DeflateBits) -> Int {
        let period = before.count &- count
        let same = (before.bits ^ before.bits &>> UInt64(truncatingIfNeeded: period)).trailingZeroBitCount
        guard same >= period else { return 0 }
        let repeats = min(same, count) / period
        bits = bits &>> UInt64(truncatingIfNeeded: repeats &* period)
        count &-= repeats &* period
        return repeats
    }

    mutating func take(_ wanted: Int) -> Int {
        refill()
        defer {
            bits >>= UInt64(wanted)
            count -= wanted
        }
        return Int(bits & (1 << UInt64(wanted) - 1))
    }

    mutating func align() {
        let rest = position & 7
        if rest > 0 { _ = take(8 - rest) }
    }

    mutating func skip(bytes: Int) { self = DeflateBits(base, position + 8 * bytes) }

    mutating func read(_ code: DeflateCode) -> DeflateCode.Meaning {
        refill()
        return take(code)
    }

    @inline(__always)
    func look(_ code: DeflateCode) -> DeflateCode.Meaning { code.look(bits) }

    @inline(__always)
    mutating func drop(_ meaning: DeflateCode.Meaning) {
        bits = bits &>> UInt64(meaning & DeflateCode.lengthMask)
        count &-= Int(meaning & DeflateCode.lengthMask)
    }

    @inline(__always)
    mutating func take(_ code: DeflateCode) -> DeflateCode.Meaning {
        let meaning = look(code)
        drop(meaning)
        return meaning
    }

    /// A length or a distance: what the symbol stands for, and its extra bits.
    @inline(__always)
    mutating func value(_ meaning: DeflateCode.Meaning) -> Int {
        let extra = DeflateCode.extraBits(meaning)
        let value = DeflateCode.base(meaning) &+ Int(truncatingIfNeeded: bits & (1 &<< extra &- 1))
        bits = bits &>> extra
        count &-= Int(truncatingIfNeeded: extra)
        return value
    }
}
