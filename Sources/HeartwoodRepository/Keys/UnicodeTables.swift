internal import Foundation

/// What Unicode 17.0 says about the composition of scalars.
///
/// The tables are part of the format of keys. They stay the same on all systems and with all versions of Swift, so that
/// a text has the same bytes everywhere.
enum UnicodeTables {
    /// The numbers of a table, row by row. Each is stored as its difference from the one above it: 2 * d, or
    /// -2 * d - 1 if that is negative, in LEB128, and all of them in base64.
    static func numbers(columns: Int, _ text: String) -> [UInt32] {
        let bytes = Array(Data(base64Encoded: text) ?? Data())
        var numbers: [UInt32] = []
        var offset = 0
        while offset < bytes.count, let coded = try? Varint.read(bytes.span.bytes, &offset) {
            let above = numbers.count < columns ? 0 : Int64(numbers[numbers.count - columns])
            let difference = Int64(coded >> 1) ^ -Int64(coded & 1)
            numbers.append(UInt32(truncatingIfNeeded: above + difference))
        }
        return numbers
    }

    /// The two scalars that a scalar consists of. The second is 0 if one scalar is replaced by another.
    static let decompositions: [UInt32: (first: UInt32, second: UInt32)] = {
        var result: [UInt32: (first: UInt32, second: UInt32)] = [:]
        result.reserveCapacity(singles.count / 2 + composing.count / 3 + excluded.count / 3)
        for index in stride(from: 0, to: singles.count, by: 2) { result[singles[index]] = (singles[index + 1], 0) }
        for table in [composing, excluded] {
            for index in stride(from: 0, to: table.count, by: 3) {
                result[table[index]] = (table[index + 1], table[index + 2])
            }
        }
        return result
    }()

    /// The scalar that a pair is composed to; the key has the first of the pair in its upper half.
    static let compositions: [UInt64: UInt32] = {
        var result: [UInt64: UInt32] = [:]
        result.reserveCapacity(composing.count / 3)
        for index in stride(from: 0, to: composing.count, by: 3) {
            result[UInt64(composing[index + 1]) << 32 | UInt64(composing[index + 2])] = composing[index]
        }
        return result
    }()

    /// The combining classes that aren't 0.
    static let combiningClasses: [UInt32: UInt8] = {
        var result: [UInt32: UInt8] = [:]
        for index in stride(from: 0, to: classes.count, by: 3) {
            for scalar in classes[index]...classes[index + 1] {
                result[scalar] = UInt8(truncatingIfNeeded: classes[index + 2])
            }
        }
        return result
    }()

    /// A bit for each scalar below 0x30000: whether a text with this scalar may have to be changed. None above may.
    static let suspects: [UInt64] = {
        var bits = [UInt64](repeating: 0, count: 0x30000 / 64)
        func add(_ scalar: UInt32) { bits[Int(scalar / 64)] |= 1 << UInt64(scalar % 64) }
        for index in stride(from: 0, to: singles.count, by: 2) { add(singles[index]) }
        for index in stride(from: 0, to: excluded.count, by: 3) { add(excluded[index]) }
        for index in stride(from: 0, to: composing.count, by: 3) { add(composing[index + 2]) }
        for scalar in combiningClasses.keys { add(scalar) }
        for scalar in Hangul.vowels { add(scalar) }
        for scalar in Hangul.finals { add(scalar) }
        return bits
    }()
}

/// The syllables of Korean, which consist of their parts by arithmetic.
enum Hangul {
    static let syllables: Range<UInt32> = 0xAC00..<0xD7A4
    static let initials: Range<UInt32> = 0x1100..<0x1113
    static let vowels: Range<UInt32> = 0x1161..<0x1176
    static let finals: Range<UInt32> = 0x11A8..<0x11C3

    /// The syllables with one initial: 21 vowels, each without a final or with one of 27.
    private static let perInitial: UInt32 = 588
    private static let perVowel: UInt32 = 28

    /// The parts of a syllable. The final is 0 if it has none.
    static func parts(of syllable: UInt32) -> (initial: UInt32, vowel: UInt32, final: UInt32) {
        let index = syllable - syllables.lowerBound
        let final = index % perVowel
        return (
            initials.lowerBound + index / perInitial, vowels.lowerBound + index % perInitial / perVowel,
            final == 0 ? 0 : finals.lowerBound + final - 1
        )
    }

    /// The syllable of an initial and a vowel, or of a syllable without a final and a final; nil for another pair.
    static func syllable(of first: UInt32, and second: UInt32) -> UInt32? {
        if initials.contains(first), vowels.contains(second) {
            return syllables.lowerBound + (first - initials.lowerBound) * perInitial
                + (second - vowels.lowerBound) * perVowel
        }
        guard syllables.contains(first), (first - syllables.lowerBound) % perVowel == 0, finals.contains(second)
        else { return nil }
        return first + second - finals.lowerBound + 1
    }
}
