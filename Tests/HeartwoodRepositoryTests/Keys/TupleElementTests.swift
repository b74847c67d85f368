import Foundation
import HeartwoodRepository
import KeyValueStore
import Testing

private enum Kind: String, TupleElement, CaseIterable { case small, large }
private struct Number: RawRepresentable, TupleElement, Hashable { var rawValue: Int }

/// The types that can be parts of a key.
@Suite struct TupleElementTests {
    @Test func typesWithARawValueNeedNoCode() throws {
        for kind in Kind.allCases { #expect(try decoded(Kind.self, encoded(kind)) == kind) }
        #expect(encoded(Kind.small) == encoded("small"))
        #expect(encoded(Number(rawValue: 5)) == encoded(5))
        #expect(try decoded(Number?.self, encoded(5)) == Number(rawValue: 5))
        #expect(throws: StoreError.self) { try decoded(Kind.self, encoded("medium")) }
    }

    @Test func keyTuples() throws {
        let tuple = KeyTuple("a", 1, UUID?.none, [UInt8]([0, 1]))
        #expect(encoded(tuple) == [0x05, 0x02, 0x61, 0x00, 0x15, 0x01, 0x00, 0xFF, 0x01, 0x00, 0xFF, 0x01, 0x00, 0x00])
        #expect(try decoded(type(of: tuple), encoded(tuple)) == tuple)
        #expect(tuple.elements.1 == 1)
        #expect(tuple != KeyTuple("a", 2, nil, [0, 1]))
        #expect(Set([tuple, tuple]).count == 1)
        #expect("\(KeyTuple(1, "a"))" == #"(1, "a")"#)
        #expect(throws: StoreError.self) { try decoded(KeyTuple<Int>.self, encoded(KeyTuple(1, 2))) }
        #expect(throws: StoreError.self) { try decoded(KeyTuple<Int, Int>.self, encoded(KeyTuple(1))) }
        #expect(throws: StoreError.self) { try decoded(KeyTuple<Int, Int>.self, encoded(KeyTuple(1, "a"))) }
        #expect(throws: StoreError.self) { try decoded(KeyTuple<String, Int>.self, encoded(KeyTuple("a", "b"))) }
        let inner = KeyTuple(KeyTuple(1, "x"), true)
        #expect(try decoded(type(of: inner), encoded(inner)) == inner)
    }

    @Test func keyTuplesAreCodable() throws {
        let tuple = KeyTuple("a", 1, Int?.none)
        let json = try JSONEncoder().encode(tuple)
        #expect(String(decoding: json, as: UTF8.self) == #"["a",1,null]"#)
        #expect(try JSONDecoder().decode(KeyTuple<String, Int, Int?>.self, from: json) == tuple)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(KeyTuple<String, Int>.self, from: json) }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(KeyTuple<String, String>.self, from: json) }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(KeyTuple<String, Int, Int?, Int>.self, from: json)
        }
    }

    @Test func aValueIsReadableText() throws {
        let id = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        let value = TupleValue.tuple([
            .null, .bool(true), .int(-42), .uint(.max), .float(0.5), .double(1), .string("a\"\0"), .bytes([0, 0xAB]),
            .uuid(id), .tuple([]),
        ])
        #expect(
            "\(value)" == #"(null, true, -42, 18446744073709551615, 0.5, 1.0, "a\"\0", 0x00AB, "#
                + "00112233-4455-6677-8899-AABBCCDDEEFF, ())")
    }

    @Test func aValueKnowsTheIntegersOfBothTypes() throws {
        #expect(try decoded(TupleValue.self, encoded(UInt64(5))) == .int(5))
        #expect(try decoded(TupleValue.self, encoded(Int64.min)) == .int(.min))
        #expect(try decoded(TupleValue.self, encoded(UInt64(1) << 63)) == .uint(1 << 63))
    }

    @Test func elementsAreRecognisedByTheirBytes() {
        #expect(EncodedElement.null == encoded(Int?.none))
        #expect(EncodedElement.doubleInfinity == encoded(Double.infinity))
        #expect(EncodedElement.floatInfinity == encoded(Float.infinity))
        #expect(EncodedElement.isNull(EncodedElement.null) && EncodedElement.isNull([0x00, 0xFF]))
        #expect(!EncodedElement.isNull(encoded(0)) && !EncodedElement.isNull([]))
        for nan in [encoded(Double.nan), encoded(Float.nan), [0x21, 0, 0, 0, 0, 0, 0, 0, 0], [0x20, 0, 0, 0, 0]] {
            #expect(EncodedElement.isNaN(nan))
        }
        for other in [
            encoded(Double.infinity), encoded(-Double.infinity), encoded(Float.infinity), encoded(0), [], [0x21],
        ] {
            #expect(!EncodedElement.isNaN(other))
        }
    }

    @Test func textsThatBeginWithATextAreARange() {
        let prefix: [UInt8] = [0x07]
        func contains(_ range: KeyRange, _ text: String) -> Bool {
            var encoder = TupleEncoder(prefix: prefix)
            encoder.append(text)
            encoder.append(1)
            return encoder.bytes.withUnsafeBytes { range.startsBefore($0) && range.endsAfter($0) }
        }
        let range = EncodedElement.stringPrefixRange("ab\u{e9}", after: prefix)
        for text in ["ab\u{e9}", "abe\u{301}", "ab\u{e9}\0", "ab\u{e9}x", "abé😀"] { #expect(contains(range, text)) }
        for text in ["", "a", "ab", "abe", "abz", "b", "ac"] { #expect(!contains(range, text)) }

        let zero = EncodedElement.stringPrefixRange("a\0", after: prefix)
        #expect(contains(zero, "a\0") && contains(zero, "a\0b"))
        #expect(!contains(zero, "a") && !contains(zero, "a\u{1}"))

        let all = EncodedElement.stringPrefixRange("", after: prefix)
        for text in ["", "\0", "z", "😀"] { #expect(contains(all, text)) }
    }
}
