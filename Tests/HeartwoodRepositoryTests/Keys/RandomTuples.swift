import Foundation
import HeartwoodRepository
import HeartwoodTesting

/// Random elements for the tests of keys.
struct RandomTuples {
    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed) }

    /// Scalars that a normal form changes, and others.
    private static let scalars: [ClosedRange<UInt32>] = [
        0...1, 0x20...0x7E, 0xA0...0x2FF, 0x300...0x36F, 0x370...0x5FF, 0x900...0xA3F, 0x1100...0x11FF, 0x1E00...0x1FFF,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0x1D150...0x1D1C0, 0x1F600...0x1F64F,
    ]

    mutating func text() -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<random.below(6) {
            let range = random.pick(Self.scalars)
            let value = range.lowerBound + UInt32(random.below(range.count))
            if let scalar = Unicode.Scalar(value) { text.append(scalar) }
        }
        return String(text)
    }

    mutating func bytes() -> [UInt8] {
        (0..<random.below(6)).map { _ in random.pick([0, 1, 0xFE, 0xFF, UInt8(random.below(256))]) }
    }

    mutating func double() -> Double {
        switch random.below(3) {
        case 0: Double(bitPattern: random.next())
        case 1: Double(random.number(in: -5...5)) / 2
        default: random.pick(RandomTuples.doubles)
        }
    }

    /// In their order.
    static let doubles: [Double] = [
        -.infinity, -.greatestFiniteMagnitude, -1.5, -1, -.leastNormalMagnitude, -Double.leastNormalMagnitude.nextDown,
        -.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, .leastNormalMagnitude.nextDown, .leastNormalMagnitude,
        Double.pi, 1e300, .greatestFiniteMagnitude, .infinity, .nan,
    ]

    mutating func element(depth: Int = 0) -> TupleValue {
        switch random.below(depth < 4 ? 12 : 10) {
        case 0: return .null
        case 1: return .bool(random.oneIn(2))
        case 2, 3:
            return .int(Int64(bitPattern: random.next() >> UInt64(random.below(64))) &* (random.oneIn(2) ? 1 : -1))
        case 4: return .uint(random.next() | 1 << 63)
        case 5: return .double(double())
        case 6: return .float(Float(double()))
        case 7: return .string(text())
        case 8: return .bytes(bytes())
        case 9:
            let words = (random.next(), random.next())
            return .uuid(withUnsafeBytes(of: words) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        default: return .tuple((0..<random.below(5)).map { _ in element(depth: depth + 1) })
        }
    }
}

/// The bytes of elements, one after the other.
func encoded(_ elements: (any TupleElement)...) -> [UInt8] {
    var encoder = TupleEncoder()
    for element in elements { encoder.append(element) }
    return encoder.bytes
}

/// Reads one element, which must be all of the bytes.
func decoded<Element: TupleElement>(_ type: Element.Type = Element.self, _ bytes: [UInt8]) throws -> Element {
    var decoder = TupleDecoder(bytes)
    let element = try decoder.decode(type)
    try decoder.finish()
    return element
}
