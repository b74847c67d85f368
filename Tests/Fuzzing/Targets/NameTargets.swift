internal import HeartwoodTesting
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// The input is a file's name, converted to a string like the names from the system.
///
/// The meaning of a name follows from its bytes, by the rules repeated here. Names that the library makes are parsed
/// back to the same meaning.
enum FileNameTarget {
    static func run(_ input: UnsafeRawBufferPointer) {
        let name = String(decoding: input, as: UTF8.self)
        let found = StoreFileName(name)
        let expected = expected(Array(name.utf8))
        require(found == expected, "\(name.debugDescription) is \(found), not \(expected)")
        if case .log(let sequence) = found {
            require(Array(StoreFileName.log(sequence).utf8) == Array(name.utf8), "another name for \(sequence)")
        }
        if input.count >= 8 {
            let number = [UInt8](input).number(at: 0, bytes: 8)
            require(StoreFileName(StoreFileName.log(number)) == .log(firstSequence: number), "lost \(number)")
        }
    }

    private static func expected(_ name: [UInt8]) -> StoreFileName {
        if name == Array("LOCK".utf8) { return .lock }
        if name.suffix(4) == Array(".tmp".utf8) { return .temporary }
        let suffix = name.dropFirst(16)
        guard name.count > 16 else { return .other }
        var number: UInt64 = 0
        for digit in name[..<16] {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - 48)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - 87)
            default: return .other
            }
        }
        if suffix.elementsEqual(".log".utf8) { return .log(firstSequence: number) }
        if suffix.elementsEqual(".snapshot".utf8) { return .snapshot(sequence: number) }
        return .other
    }

    static func mutate(_ input: [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation) -> [UInt8] {
        let maximum = FuzzTarget.fileName.maximumInput
        let endings = [
            ".log", ".snapshot", ".tmp", "", "LOCK", ".log.tmp", "\u{301}.log", ".log\u{301}", "\u{600}.tmp",
        ]
        switch random.below(4) {
        case 0:
            return Array(StoreFileName.log(random.next() >> random.below(64)).utf8.prefix(16))
                + Array(random.pick(endings).utf8)
        case 1: return Array((blind(input, maximum) + Array(random.pick(endings).utf8)).prefix(maximum))
        default: return blind(input, maximum)
        }
    }
}

/// The input is the contents of a lock file.
///
/// A process id is found exactly if the first line is complete and is a number of 32 bits.
enum LockTextTarget {
    static func run(_ input: UnsafeRawBufferPointer) {
        let text = [UInt8](input)
        let found = LockFileText.holder(in: text)
        require(found == expected(text), "the holder is \(String(describing: found))")
    }

    private static func expected(_ text: [UInt8]) -> Int32? {
        guard let end = text.firstIndex(of: 10) else { return nil }
        var digits = text[..<end]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
        guard !digits.isEmpty else { return nil }
        var number: Int64 = 0
        for digit in digits {
            guard (48...57).contains(digit) else { return nil }
            number = number * 10 + Int64(digit - 48)
            guard number <= 1 << 31 else { return nil }
        }
        return Int32(exactly: isNegative ? -number : number)
    }
}
