import Foundation
import HeartwoodTesting
import Testing

@testable import collector

/// The scanner accepts what is JSON, and nothing else.
@Suite struct ScannerTests {
    private func isJSON(_ value: some Sequence<UInt8>) -> Bool {
        var scanner = EventScanner(Array(#"{"type":"a","x":"#.utf8) + value + [UInt8(ascii: "}")])
        var count = 0
        return (try? scanner.readJSON { _ in count += 1 }) != nil && count == 1
    }

    /// Cases of the kinds of "Parsing JSON is a Minefield" by Nicolas Seriot (y: accept, n: refuse).
    static let accepted = [
        "[]", "{}", " [ ] ", "[[]   ]", #"[""]"#, "[null]", "[1\n]", " [1]", "[1,null,null,null,2]", "[2] ",
        "[0e+1]", "[0e1]", "[ 4]", "[-0.000000000000000000000000000000000000000000000000000000000000000000000001]",
        "[20e1]", "[-0]", "[-123]", "[-1]", "[1E22]", "[1E-2]", "[1E+2]", "[123e45]", "[123.456e78]", "[1e-2]",
        "[123]", "[123.456789]", #"{"asd":"sdf", "dfg":"fgh"}"#, #"{"a":"b","a":"c"}"#, #"{"":0}"#,
        #"{"foo\u0000bar": 42}"#, #"{ "min": -1.0e+28, "max": 1.0e+28 }"#, "{\n\"a\": \"b\"\n}",
        #"["\u0060\u012a\u12AB"]"#, #"["\uD801\udc37"]"#, #"["\ud83d\ude39\ud83d\udc8d"]"#,
        #"["\"\\\/\b\f\n\r\t"]"#, #"["\\u0000"]"#, #"["\""]"#, #"["a/*b*/c/*d//e"]"#, #"["\\a"]"#, #"["\u0012"]"#,
        #"["\uFFFF"]"#, #"[ "asd"]"#, #"["\uDBFF\uDFFF"]"#, #"["new\u00A0line"]"#, "[\"\u{10FFFF}\"]",
        "[\"\u{FFFF}\"]", #"["\u0000"]"#, #"["\u002c"]"#, "[\"π\"]", "[\"\u{1BFFF}\"]", #"["asd "]"#, "\" \"",
        "[\"\u{2028}\"]", #"["\u0821"]"#, #"["\u0123"]"#, "[\"€𝄞\"]", #"["\uA66D"]"#, "[\"\u{7F}\"]", "false", "42",
        "-0.1", "null", #""asd""#, "true", #""""#, "[\"a\"]\n", "[true]", "\t[]\r\n",
    ]
    static let refused = [
        "", " ", "[1 true]", "[a]", #"["": 1]"#, #"[""],"#, "[,1]", "[1,,2]", #"["x",,]"#, #"["x"]]"#, #"["",]"#,
        #"["x""#, "[x", "[3[4]]", "[1:2]", "[,]", "[-]", #"[   , ""]"#, "[\"a\",\n4\n,1,", "[1,]", "[1,,]",
        "[\"\u{0B}a\"\\f]", "[*]", #"[""#, "[1,", "[{}", "[fals]", "[nul]", "[tru]", "123\u{0}", "[++1234]", "[+1]",
        "[+Inf]", "[-01]", "[-1.0.]", "[-2.]", "[-NaN]", "[.-1]", "[.2e-3]", "[0.1.2]", "[0.3e+]", "[0.3e]", "[0.e1]",
        "[0E+]", "[0E]", "[0e+]", "[0e]", "[1.0e+]", "[1.0e-]", "[1.0e]", "[1 000.0]", "[1eE2]", "[2.e+3]", "[2.e-3]",
        "[2.e3]", "[9.e+]", "[Inf]", "[NaN]", "[\u{FF11}]", "[1+2]", "[0x1]", "[0x42]", "[Infinity]", "[0e+-1]",
        "[-123.123foo]", "[-Infinity]", "[-foo]", "[- 1]", "[-012]", "[-.123]", "[-1x]", "[1ea]", "[1.]", "[.123]",
        "[1.2a-3]", "[1.8011670033376514H-308]", "[012]", #"["x", truth]"#, #"{[: "x"}"#, #"{"x", null}"#,
        #"{"x"::"b"}"#, "{🇨🇭}", #"{"a":"a" 123}"#, #"{key: 'value'}"#, #"{"a" b}"#, #"{:"b"}"#, #"{"a":"#, #"{"a""#,
        #"{1:1}"#, "{9999E9999:1}", "{null:null,null:null}", #"{"id":0,,,,,}"#, "{'a':0}", #"{"id":0,}"#,
        #"{"a":"b"}/**/"#, #"{"a":"b"}//"#, #"{"a":"b",,"c":"d"}"#, #"{a: "b"}"#, #"{"a":"a"#,
        #"{ "foo" : "bar", "a" }"#,
        #"{"a":"b"}#"#, " ", #"["\uD800\u"]"#, #"["\uD800\u1"]"#, #"["\uD800\u1x"]"#, #"["\uD800"]"#, "[é]",
        #"["\x00"]"#, #"["\\\"]"#, "[\"\\\t\"]", #"["\🌀"]"#, #"["\"]"#, #"["\u00A"]"#, #"["\uD834\uDd"]"#,
        #"["\uD800\uD800\x"]"#, #"["\a"]"#, #"["\uqqqq"]"#, "['single quote']", "abc", "[\"\\", "[\"a\u{0}a\"]",
        "[\"new\nline\"]", "[\"\t\"]", #""\UA66D""#, "<.>", "[<null>]", "[True]", "aå", "[1]x", #"["asd]"#, "]", "1]",
        "{]", "[}", "][", "{", "[", "{\"asd\":\"asd\"", "å", "[1\u{0C}]", "\u{2060}", "\u{FEFF}[]", #"["a"#, "-", "\"",
        #"["\uDC00"]"#, #"["\uDFAA"]"#, #"["\uD800\n"]"#, #"["\uDd1ea"]"#, #"["\ud800abc"]"#, #"["\uDd1e\uD834"]"#,
    ]

    @Test(arguments: accepted) func jsonIsAccepted(_ text: String) { #expect(isJSON(text.utf8)) }
    @Test(arguments: refused) func otherTextIsRefused(_ text: String) { #expect(!isJSON(text.utf8)) }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80],
            [0xC3], [0xE2, 0x82], [0xF0, 0x9D, 0x84], [0x80], [0xC3, 0x28], [0xF5, 0x80, 0x80, 0x80], [0xFE],
            [0xC1, 0x81],
        ] as [[UInt8]])
    func bytesThatAreNotUTF8AreRefused(_ bytes: [UInt8]) {
        #expect(!isJSON([0x22] + bytes + [0x22]))
        #expect(!isJSON([0x22] + bytes))
    }

    @Test(arguments: [("[", "]"), (#"{"a":"#, "}")]) func nestingIsBounded(_ open: String, _ close: String) {
        // Within the event's object.
        for (depth, isAccepted) in [(EventScanner.maximumDepth - 1, true), (EventScanner.maximumDepth, false)] {
            let nested = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            #expect(isJSON(nested.utf8) == isAccepted)
        }
        #expect(!isJSON(String(repeating: open, count: 1_000_000).utf8))
    }

    /// Damaged documents are judged as Foundation judges them, except where it doesn't judge by the RFC: it guesses the
    /// encoding of bytes that aren't UTF-8, accepts a comma before the end of a list, and refuses numbers that a
    /// `Double` can't have. No bytes make the scanner trap.
    @Test(arguments: 0..<20 as Range<UInt64>) func agreesWithFoundation(seed: UInt64) {
        var random = SeededRandom(seed)
        let alphabet = Array(#"{}[]",:\u0d8e+-.1tfn /"#.utf8) + [0x0A, 0, 0x80, 0xC3, 0xE2, 0xFF]
        for _ in 0..<2_000 {
            var document = Array(random.pick(Self.accepted).utf8)
            for _ in 0..<random.number(in: 1...4) where !document.isEmpty {
                let place = random.below(document.count)
                switch random.below(4) {
                case 0: document[place] = random.pick(alphabet)
                case 1: document.remove(at: place)
                case 2: document.insert(random.pick(alphabet), at: place)
                default: document = Array(document[..<place]) + Array(random.pick(Self.accepted).utf8)
                }
            }
            let isAccepted = isJSON(document)
            let value = Array("{\"x\":".utf8) + document + [UInt8(ascii: "}")]
            guard let text = String(validating: value, as: UTF8.self),
                !text.contains(/,\s*[\]}]|[eE][+-]?\d{3}|\d{300}/)
            else { continue }
            let isFoundations = (try? JSONSerialization.jsonObject(with: Data(value))) != nil
            #expect(isAccepted == isFoundations, "seed \(seed), Foundation says \(isFoundations): \(text)")
        }
    }

    @Test func escapesInTypesAreDecoded() throws {
        for text in [#"aé\"\\\/\u00e9\u20AC\ud834\udd1e𝄞"#, #"\u0041"#] {
            let object = Data("{\"type\":\"\(text)\"}".utf8)
            let expected = try JSONDecoder().decode([String: String].self, from: object)["type"]
            #expect(EventFrames.type(Array(object)) == expected)
        }
    }

    // MARK: Times

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.001Z", 1), ("1970-01-01t00:00:01.5z", 1_500),
            ("2000-02-29T23:59:59.999999999Z", 951_868_799_999), ("2026-11-26 10:30:00+01:00", 1_795_685_400_000),
            ("2026-11-26T04:00:00-05:30", 1_795_685_400_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999), ("1969-12-31T23:59:00-00:01", 0),
        ] as [(String, UInt64)])
    func timesAreRead(_ text: String, _ milliseconds: UInt64) { #expect(Timestamps.parse(text.utf8) == milliseconds) }

    @Test(arguments: [
        "", "2026-11-26", "2026-11-26T09:30Z", "2026-11-26T09:30:00", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-11-31T00:00:00Z", "2026-11-26T24:00:00Z",
        "2026-11-26T09:60:00Z", "2026-11-26T09:30:61Z", "2026-11-26T09:30:00.Z", "2026-11-26T09:30:00Zx",
        "2026-11-26T09:30:00+0100", "2026-11-26T09:30:00+24:00", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-01:00", "+026-11-26T09:30:00Z", "２026-11-26T09:30:00Z", "1900-02-29T00:00:00Z",
        "2026-11-26T09:30:00.5", "2026-12-32T00:00:00Z", "2026-11-26T09:30:00+01:00x",
    ])
    func otherTimesAreRefused(_ text: String) { #expect(Timestamps.parse(text.utf8) == nil) }

    @Test func timesAreReadAsTheyWereWritten() {
        for time in stride(from: UInt64(0), to: Timestamps.end, by: 86_400_000 * 97 + 12_345_678) {
            #expect(Timestamps.parse(Timestamps.text(time).utf8) == time)
        }
    }
}
