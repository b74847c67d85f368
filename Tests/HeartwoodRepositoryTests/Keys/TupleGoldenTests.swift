import Foundation
import HeartwoodCampaignSupport
import HeartwoodRepository
import Testing

/// The bytes of keys, compared with the specification and with FoundationDB's Python package.
@Suite struct TupleGoldenTests {
    @Test func theExamplesOfTheSpecification() throws {
        #expect(encoded(Array("foo\0bar".utf8)) == [0x01] + Array("foo".utf8) + [0x00, 0xFF] + Array("bar".utf8) + [0])
        #expect(encoded("F\u{D4}O\0bar") == [0x02, 0x46, 0xC3, 0x94, 0x4F, 0x00, 0xFF, 0x62, 0x61, 0x72, 0x00])
        #expect(encoded(-5_551_212) == [0x11, 0xAB, 0x4B, 0x93])
        #expect(encoded(Float(-42)) == [0x20, 0x3D, 0xD7, 0xFF, 0xFF])
        #expect(encoded(0) == [0x14])
        #expect(encoded(-1) == [0x13, 0xFE])
        #expect(encoded(false, true) == [0x26, 0x27])
        #expect(encoded(TupleValue.null) == [0x00])
        let nested = TupleValue.tuple([.bytes(Array("foo\0bar".utf8)), .null, .tuple([])])
        #expect(
            encoded(nested) == [0x05, 0x01] + Array("foo".utf8) + [0x00, 0xFF] + Array("bar".utf8)
                + [0x00, 0x00, 0xFF, 0x05, 0x00, 0x00])
    }

    @Test func moreElementsOfEachType() throws {
        #expect(encoded(Int64.min) == [0x0C, 0x7F] + [UInt8](repeating: 0xFF, count: 7))
        #expect(encoded(Int64.max) == [0x1C, 0x7F] + [UInt8](repeating: 0xFF, count: 7))
        #expect(encoded(UInt64.max) == [0x1C] + [UInt8](repeating: 0xFF, count: 8))
        #expect(encoded(255, 256, -255, -256) == [0x15, 0xFF, 0x16, 0x01, 0x00, 0x13, 0x00, 0x12, 0xFE, 0xFF])
        #expect(encoded(1.0) == [0x21, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0])
        #expect(encoded(-1.0) == [0x21, 0x40, 0x0F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        let id = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(encoded(id) == [0x30] + (0..<16).map { UInt8($0 * 17) })
    }

    @Test func aPrefixIsKeptAsItIs() {
        var encoder = TupleEncoder(prefix: [0x00, 0xFF])
        encoder.append(1)
        #expect(encoder.bytes == [0x00, 0xFF, 0x15, 0x01])
    }

    /// Tools/check-tuples --golden wrote the file.
    @Test func thousandsOfTuplesAreEncodedAsInPython() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Golden/tuples.txt")
        var comparison = TupleComparison()
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            try comparison.check(String(line))
        }
        #expect(comparison.tuples > 2_500)
    }

    @Test(arguments: ["- 14 i1", "- 15ff i256", "- 0000 n", "- 0261", "- 1501 i1 x"])
    func theComparisonNoticesADifference(line: String) {
        var comparison = TupleComparison()
        #expect(throws: (any Error).self) { try comparison.check(line) }
    }
}
