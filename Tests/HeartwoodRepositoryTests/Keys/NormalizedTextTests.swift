import Foundation
import HeartwoodCampaignSupport
import HeartwoodTesting
import Testing

@testable import HeartwoodRepository

/// The normal form of text in keys, compared with the standard library's comparison of strings.
@Suite struct NormalizedTextTests {
    private func scalars(_ text: String) -> [UInt32] { NormalizedText.of(text).unicodeScalars.map(\.value) }

    @Test func examples() {
        #expect(scalars("e\u{301}") == [0xE9])
        #expect(scalars("\u{212B}") == [0xC5])
        #expect(scalars("q\u{307}\u{323}") == [0x71, 0x323, 0x307])
        #expect(scalars("\u{1E9B}\u{323}") == [0x1E9B, 0x323])
        #expect(scalars("\u{958}") == [0x915, 0x93C])
        #expect(scalars("\u{1100}\u{1161}\u{11A8}") == [0xAC01])
        #expect(scalars("\u{AC00}\u{11A8}") == [0xAC01])
        #expect(scalars("\u{AC01}\u{11A8}") == [0xAC01, 0x11A8])
        #expect(scalars("\u{D7A3}\u{11A7}") == [0xD7A3, 0x11A7])
        #expect(scalars("a\u{315}\u{300}\u{5AE}b") == [0xE0, 0x5AE, 0x315, 0x62])
        // A mark that is left alone, and one of the same class after it.
        #expect(scalars("a\u{334}\u{334}\u{301}") == [0xE1, 0x334, 0x334])
        #expect(scalars("\u{301}e") == [0x301, 0x65])
    }

    @Test func manyMarksAreOrderedInTime() {
        let marks = String(String.UnicodeScalarView((0..<60_000).map { $0 % 2 == 0 ? "\u{301}" : "\u{316}" }))
        let normal = scalars("a" + marks)
        #expect(normal.count == 60_000 && normal.first == 0xE1 && normal[1] == 0x316 && normal.last == 0x301)
    }

    @Test func marksInOneScalarAreOrderedWithTheOthers() {
        #expect(scalars("a\u{301}\u{F73}\u{323}") == [0x1EA1, 0xF71, 0xF72, 0x301])
    }

    /// Every scalar, where a normal form may join it to others.
    @Test func everyScalarKeepsItsMeaning() {
        // The three scalars of class 0 that consist of marks. Swift 6.3.1 compares texts with them as if they couldn't
        // be moved; Tools/check-tuples compares them with Python.
        let exceptions: Set<UInt32> = [0xF73, 0xF75, 0xF81]
        for value in UInt32(0x80)..<0x3_0000 {
            guard let scalar = Unicode.Scalar(value), !exceptions.contains(value) else { continue }
            let text = "a\u{301}" + String(scalar) + "\u{323}\u{11A8}"
            let normal = NormalizedText.of(text)
            if normal != text || !NormalizedText.of(normal).unicodeScalars.elementsEqual(normal.unicodeScalars) {
                Issue.record("U+\(String(value, radix: 16)) is another text when it is normalised")
            }
        }
    }

    @Test func equalTextsHaveTheSameForm() {
        let seed = testSeed("NormalizedTextTests.equalTextsHaveTheSameForm")
        var tuples = RandomTuples(seed: seed)
        for _ in 0..<5_000 {
            let text = tuples.text()
            let decomposed = text.decomposedStringWithCanonicalMapping
            // Foundation damages some texts on Linux.
            guard decomposed == text else { continue }
            #expect(scalars(decomposed) == scalars(text), "seed \(seed)")
            #expect(NormalizedText.of(text) == text, "seed \(seed)")
        }
    }
}
