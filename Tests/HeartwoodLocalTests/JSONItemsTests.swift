@testable import HeartwoodLocal
import Testing

@Suite struct JSONItemsTests {
    private func items(_ text: String) -> [String]? {
        let bytes = Array(text.utf8)
        return JSONItems.ranges(in: bytes)?.map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    @Test func areSplit() {
        #expect(items("[]") == [])
        #expect(items(" [ ] \n") == [])
        #expect(items("[1]") == ["1"])
        #expect(items("\u{FEFF}[1, 2]") == ["1", "2"])
        #expect(items("[ {\"a\": [1, 2], \"b\": \"],}\"} ,\n{} ]\n") == ["{\"a\": [1, 2], \"b\": \"],}\"}", "{}"])
        #expect(items(#"["\"],[", "\\", "é"]"#) == [#""\"],[""#, #""\\""#, #""é""#])
        #expect(items("[[1],[[]]]") == ["[1]", "[[]]"])
    }

    @Test(arguments: [
        "", " ", "{}", "[", "[1", "[1,", "[1,]", "[,]", "[,1]", "[1,,2]", "[1]]", "[1] x", "[\"]", "[\"\\",
    ])
    func areRefused(text: String) {
        #expect(items(text) == nil)
    }

    /// What is damaged inside an item is split somehow, without a trap, and doesn't decode.
    @Test func damageDoesntTrap() {
        let bytes = Array(#"[{"a": "x\"y", "b": [1, {"c": null}]}, {"a": "}"}]"#.utf8)
        for position in bytes.indices {
            for byte in [0, 0x22, 0x2C, 0x5B, 0x5C, 0x5D, 0x7B, 0x7D, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[position] = byte
                _ = JSONItems.ranges(in: damaged)
            }
            _ = JSONItems.ranges(in: Array(bytes[..<position]))
        }
    }
}
