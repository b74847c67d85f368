import Foundation
import HeartwoodCampaignSupport
import HeartwoodRepository
import HeartwoodTesting
import KeyValueStore
import Testing

/// The order of the bytes is the order of the values.
@Suite struct TupleOrderTests {
    /// Checks every pair. `precedes` says how two values compare.
    private func expectOrder<Element: TupleElement>(
        _ values: [Element], _ comment: Comment? = nil, precedes: (Element, Element) -> Bool
    ) {
        let keys = values.map { encoded($0) }
        for (left, leftKey) in zip(values, keys) {
            for (right, rightKey) in zip(values, keys) {
                let order = KeyOrder.compare(leftKey, rightKey)
                if precedes(left, right) != (order < 0) || precedes(right, left) != (order > 0) {
                    Issue.record("\(left) and \(right) are in another order than their bytes. \(comment ?? "")")
                }
            }
        }
    }

    /// The values of `type` next to each power of 256, and its limits.
    private func boundaries<Number: FixedWidthInteger & TupleElement>(_ type: Number.Type) -> [Number] {
        var numbers: Set<Number> = [.min, .max, 0]
        for shift in stride(from: 0, to: Number.bitWidth + 8, by: 8) {
            let power: Number = shift < Number.bitWidth ? 1 << shift : .max
            for near in [power, power &- 1, power &+ 1, power &- 2] {
                numbers.insert(near)
                numbers.insert(0 &- near)
            }
        }
        return Array(numbers)
    }

    @Test func integersOfEachType() throws {
        func check<Number: FixedWidthInteger & TupleElement>(_ type: Number.Type) throws {
            let numbers = boundaries(type)
            expectOrder(numbers, precedes: <)
            for number in numbers {
                #expect(try decoded(type, encoded(number)) == number)
                if let signed = Int64(exactly: number) { #expect(encoded(signed) == encoded(number)) }
                if let unsigned = UInt64(exactly: number) { #expect(encoded(unsigned) == encoded(number)) }
            }
        }
        try check(Int.self)
        try check(Int8.self)
        try check(Int16.self)
        try check(Int32.self)
        try check(Int64.self)
        try check(UInt.self)
        try check(UInt8.self)
        try check(UInt16.self)
        try check(UInt32.self)
        try check(UInt64.self)
    }

    @Test func signedAndUnsignedIntegersHaveOneOrder() {
        let signed = boundaries(Int64.self).sorted().map { encoded($0) }
        let unsigned = boundaries(UInt64.self).filter { $0 > UInt64(Int64.max) }.sorted().map { encoded($0) }
        let keys = signed + unsigned
        #expect(zip(keys, keys.dropFirst()).allSatisfy { KeyOrder.compare($0, $1) < 0 })
    }

    @Test func doubles() {
        // In the list NaN is last, which `<` doesn't know.
        let keys = RandomTuples.doubles.map { encoded($0) }
        for (left, right) in zip(keys, keys.dropFirst()) { #expect(KeyOrder.compare(left, right) < 0) }

        let seed = testSeed("TupleOrderTests.doubles")
        var tuples = RandomTuples(seed: seed)
        let random = (0..<200).map { _ in tuples.double() }.filter { !$0.isNaN }
        expectOrder(random, "seed \(seed)", precedes: <)
        expectOrder(random.map { Float($0) }, "seed \(seed)", precedes: <)
    }

    @Test func floats() {
        let floats: [Float] = [
            -.infinity, -.greatestFiniteMagnitude, -1, -.leastNormalMagnitude, -.leastNonzeroMagnitude, 0,
            .leastNonzeroMagnitude, .leastNormalMagnitude, 0.1, .greatestFiniteMagnitude, .infinity, .nan,
        ]
        let keys = floats.map { encoded($0) }
        for (left, right) in zip(keys, keys.dropFirst()) { #expect(KeyOrder.compare(left, right) < 0) }
    }

    @Test func everyZeroAndEveryNaNIsOne() {
        #expect(encoded(-0.0) == encoded(0.0))
        #expect(encoded(-Float(0)) == encoded(Float(0)))
        for nan in [-Double.nan, .signalingNaN, Double(nan: 5, signaling: false)] {
            #expect(encoded(nan) == encoded(Double.nan))
        }
        for nan in [-Float.nan, .signalingNaN, Float(nan: 5, signaling: false)] {
            #expect(encoded(nan) == encoded(Float.nan))
        }
    }

    @Test func texts() {
        // Strings are ordered by their normal form, so this also compares the tables with the standard library's. Where
        // the bytes of one begin those of the other, `<` of Swift 6.3 overlooks that later marks may go before earlier
        // ones; the scalar at the end, the least of all, makes the bytes differ.
        func precedes(_ left: String, _ right: String) -> Bool { left + "\0" < right + "\0" }
        let fixed = [
            "", "\0", "\0\0", "\0a", "\u{1}", "a", "a\0", "a\0b", "a\u{1}", "aa", "b", "x\u{34B}", "x\u{34B}\u{31F}",
            "é", "中", "😀",
        ]
        expectOrder(fixed, precedes: precedes)
        let seed = testSeed("TupleOrderTests.texts")
        var tuples = RandomTuples(seed: seed)
        expectOrder((0..<300).map { _ in tuples.text() }, "seed \(seed)", precedes: precedes)
    }

    @Test func bytes() {
        let values: [[UInt8]] = [
            [], [0], [0, 0], [0, 0xFF], [0, 1], [1], [1, 0], [0xFE], [0xFF], [0xFF, 0], [0xFF, 0xFF],
        ]
        expectOrder(values) { $0.lexicographicallyPrecedes($1) }
        for value in values { #expect(encoded(Data(value)) == encoded(value)) }
    }

    @Test func datesAndIdentifiers() throws {
        let now = Date(timeIntervalSinceReferenceDate: 817_000_000.25)
        let dates: [Date] = [
            .distantPast, .distantFuture, now, now + 0.001, now - 86_400, Date(timeIntervalSince1970: 0),
        ]
        expectOrder(dates, precedes: <)
        for date in dates { #expect(try decoded(Date.self, encoded(date)) == date) }
        expectOrder((0..<30).map { _ in UUID() }) { $0.uuidString < $1.uuidString }
    }

    @Test func optionals() throws {
        expectOrder([nil, Int.min, -1, 0, 1, Int.max]) { left, right in
            switch (left, right) {
            case (nil, let right): right != nil
            case (_, nil): false
            case (let left?, let right?): left < right
            }
        }
        #expect(encoded(String?.none) == encoded(TupleValue.null))
        #expect(try decoded(String?.self, encoded(String?.none)) == nil)
        #expect(try decoded(String?.self, encoded("")) == "")
    }

    @Test func nestedTuplesInTheirOrder() {
        let tuples: [TupleValue] = [
            .tuple([]), .tuple([.null]), .tuple([.null, .null]), .tuple([.null, .int(1)]), .tuple([.bytes([])]),
            .tuple([.string("")]), .tuple([.tuple([])]), .tuple([.tuple([.null])]), .tuple([.int(-1)]),
            .tuple([.int(1)]),
            .tuple([.int(1), .null]), .tuple([.int(1), .int(0)]), .tuple([.int(2)]),
        ]
        // The next element must not matter, and not be taken for a part of the tuple.
        for next in [TupleValue.null, .bytes([0xFF]), .int(5)] {
            let keys = tuples.map { encoded($0, next) }
            for (left, right) in zip(keys, keys.dropFirst()) { #expect(KeyOrder.compare(left, right) < 0) }
        }
    }

    @Test func typesInTheirOrder() {
        let values: [TupleValue] = [
            .null, .bytes([0xFF]), .string("z"), .tuple([.uuid(UUID())]), .int(.min), .uint(.max), .float(.nan),
            .double(-.infinity), .bool(false), .bool(true), .uuid(UUID()),
        ]
        let keys = values.map { encoded($0) }
        for (left, right) in zip(keys, keys.dropFirst()) { #expect(KeyOrder.compare(left, right) < 0) }
    }
}
