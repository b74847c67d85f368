import Foundation
import HeartwoodTesting
import Testing

@testable import CollectorService
@testable import collector_fuzz

/// The scanner accepts what is JSON, and nothing else.
@Suite struct JSONScannerTests {
    private func isJSON(_ bytes: [UInt8]) -> Bool {
        var scanner = JSONScanner()
        let span = bytes.span
        return (try? scanner.skipValue(span)) != nil && scanner.peek(span) == nil
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

    @Test(arguments: accepted) func jsonIsAccepted(_ text: String) { #expect(isJSON(Array(text.utf8))) }
    @Test(arguments: refused) func otherTextIsRefused(_ text: String) { #expect(!isJSON(Array(text.utf8))) }

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

    @Test func allScalarsAreAccepted() {
        for start in stride(from: UInt32(0x20), to: 0x11_0000, by: 0x100) {
            let scalars = (start..<(start + 0x100)).compactMap(Unicode.Scalar.init).filter {
                !#"\""#.contains(Character($0))
            }
            #expect(isJSON(Array("\"\(String(String.UnicodeScalarView(scalars)))\"".utf8)))
        }
    }

    @Test func nestingIsBounded() {
        func nested(_ depth: Int, _ open: String, _ close: String) -> [UInt8] {
            Array((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
        }
        let limit = JSONScanner.maximumDepth
        #expect(isJSON(nested(limit, "[", "]")))
        #expect(!isJSON(nested(limit + 1, "[", "]")))
        #expect(isJSON(nested(limit, #"{"a":"#, "}")))
        #expect(!isJSON(nested(limit + 1, #"{"a":"#, "}")))
        #expect(!isJSON(Array(String(repeating: "[", count: 1_000_000).utf8)))
    }

    /// Random documents, and damaged ones, are judged as Foundation judges them.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func agreesWithFoundation(seed: UInt64) {
        var random = SeededRandom(seed)
        for _ in 0..<500 {
            var document = RandomJSON.document(&random)
            #expect(isJSON(document), "seed \(seed): \(String(decoding: document, as: UTF8.self))")
            for _ in 0..<4 {
                RandomJSON.damage(&document, &random)
                guard !RandomJSON.isJudgedOtherwise(document) else { continue }
                let foundation =
                    (try? JSONSerialization.jsonObject(with: Data(document), options: .fragmentsAllowed)) != nil
                #expect(
                    isJSON(document) == foundation,
                    "seed \(seed), Foundation says \(foundation): \(String(decoding: document, as: UTF8.self))")
            }
        }
    }

    /// No bytes make the scanner trap, or read outside.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func randomBytesDoNoHarm(seed: UInt64) {
        var random = SeededRandom(seed)
        let alphabet = Array(#"{}[]",:\u0dD8e+-.1tfn"#.utf8) + [0, 0x0A, 0x80, 0xC3, 0xE2, 0xF0, 0xFF]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...24, using: &random)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random)! }
            _ = isJSON(bytes)
            _ = try? EventBatch(bytes.span, .json, .init())
            _ = try? EventBatch(bytes.span, .lines, .init())
        }
    }

    @Test func escapesAreDecoded() throws {
        for text in [#""aé\n\t\"\\\/\b\f\r\u00e9\u20AC\ud834\udd1e𝄞""#, #""""#, #""\u0041""#] {
            let bytes = Array(text.utf8)
            var scanner = JSONScanner()
            let content = try scanner.string(bytes.span)
            let expected = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed) as? String
            #expect(String(decoding: JSONText.decode(content, in: bytes.span), as: UTF8.self) == expected)
        }
    }
}
