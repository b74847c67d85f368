/// The normal form C of text (Unicode Standard Annex 15): canonically equivalent texts have the same one.
///
/// Foundation's `precomposedStringWithCanonicalMapping` isn't used. On Linux (6.3) it leaves some sequences as they are
/// and damages others, and its version of Unicode depends on the system. Scalars that are newer than Unicode 17.0 are
/// left as they are.
enum NormalizedText {
    private struct Part {
        var scalar: UInt32
        var combiningClass: UInt8
    }

    /// The text, normalised. O(bytes log bytes), and O(bytes) without a copy if the text is in normal form.
    static func of(_ text: String) -> String {
        mayNeedChange(text) ? composed(ordered(decomposed(text))) : text
    }

    /// False only if the text is in normal form.
    private static func mayNeedChange(_ text: String) -> Bool {
        let suspects = UnicodeTables.suspects
        return text.unicodeScalars.contains { scalar in
            let word = Int(scalar.value / 64)
            return scalar.value >= 0x300 && word < suspects.count
                && suspects[word] >> UInt64(scalar.value % 64) & 1 == 1
        }
    }

    /// The scalars that the text consists of.
    private static func decomposed(_ text: String) -> [Part] {
        let (decompositions, classes) = (UnicodeTables.decompositions, UnicodeTables.combiningClasses)
        var parts: [Part] = []
        parts.reserveCapacity(text.utf8.count)
        func append(_ scalar: UInt32) {
            if Hangul.syllables.contains(scalar) {
                let (initial, vowel, final) = Hangul.parts(of: scalar)
                parts.append(Part(scalar: initial, combiningClass: 0))
                parts.append(Part(scalar: vowel, combiningClass: 0))
                if final != 0 { parts.append(Part(scalar: final, combiningClass: 0)) }
            } else if let (first, second) = decompositions[scalar] {
                append(first)
                if second != 0 { append(second) }
            } else {
                parts.append(Part(scalar: scalar, combiningClass: classes[scalar] ?? 0))
            }
        }
        for scalar in text.unicodeScalars {
            if scalar.value < 0xC0 {
                parts.append(Part(scalar: scalar.value, combiningClass: 0))
            } else {
                append(scalar.value)
            }
        }
        return parts
    }

    /// Sorts marks by their class where several follow each other. Marks of one class keep their order.
    private static func ordered(_ parts: [Part]) -> [Part] {
        var parts = parts
        var start = 0
        while start < parts.count {
            var end = start + 1
            if parts[start].combiningClass != 0 {
                var isOrdered = true
                while end < parts.count, parts[end].combiningClass != 0 {
                    if parts[end].combiningClass < parts[end - 1].combiningClass { isOrdered = false }
                    end += 1
                }
                if !isOrdered {
                    let marks = parts[start..<end].enumerated().sorted {
                        ($0.element.combiningClass, $0.offset) < ($1.element.combiningClass, $1.offset)
                    }
                    parts.replaceSubrange(start..<end, with: marks.map(\.element))
                }
            }
            start = end
        }
        return parts
    }

    /// Composes each mark with the last scalar of class 0, unless a scalar between them prevents it.
    private static func composed(_ parts: [Part]) -> String {
        var result: [UInt32] = []
        result.reserveCapacity(parts.count)
        var starter: Int?
        var classBefore = -1
        for part in parts {
            let combiningClass = Int(part.combiningClass)
            if let starter, classBefore < combiningClass, let composite = pair(result[starter], part.scalar) {
                result[starter] = composite
                continue
            }
            if combiningClass == 0 {
                starter = result.count
                classBefore = -1
            } else {
                classBefore = combiningClass
            }
            result.append(part.scalar)
        }
        var text = String.UnicodeScalarView()
        for value in result {
            if let scalar = Unicode.Scalar(value) { text.append(scalar) }
        }
        return String(text)
    }

    private static func pair(_ first: UInt32, _ second: UInt32) -> UInt32? {
        UnicodeTables.compositions[UInt64(first) << 32 | UInt64(second)] ?? Hangul.syllable(of: first, and: second)
    }
}
