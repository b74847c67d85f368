internal import HeartwoodFormat
internal import HeartwoodTesting

/// The input of a target whose checksums depend on the location: the file's salt (4 bytes), the offset (8), more bytes
/// that the target defines, then the bytes to decode.
struct LocatedInput {
    var salt: UInt32
    var offset: UInt64
    /// All bytes in front of the bytes to decode.
    var prefix: [UInt8]
    var bytes: [UInt8]

    /// nil: the input is shorter than the prefix.
    init?(_ input: [UInt8], extra: Int = 0) {
        let count = 12 + extra
        guard input.count >= count else { return nil }
        salt = UInt32(input.number(at: 0, bytes: 4))
        offset = input.number(at: 4, bytes: 8)
        prefix = Array(input[..<count])
        bytes = Array(input[count...])
    }

    /// Valid bytes must be decoded, and be refused with another salt or at another offset. Invalid bytes must be
    /// refused for the expected reason.
    ///
    /// - Parameters:
    ///   - name: Such as "a header".
    ///   - expected: What is wrong with the bytes.
    ///   - check: Ends the process unless the decoded fields are those of the bytes.
    func judge<Found: Equatable>(
        _ name: String, expected: FormatError?, _ decode: (UInt32, UInt64) -> Result<Found, FormatError>,
        check: (Found) -> Void
    ) {
        switch (decode(salt, offset), expected) {
        case (.success(let found), nil):
            check(found)
            require(
                decode(salt ^ 1 << (salt % 32), offset) == .failure(.checksumMismatch),
                "\(name) of another file was accepted")
            require(
                decode(salt, offset ^ 8 << (offset % 32)) == .failure(.checksumMismatch),
                "\(name) of another offset was accepted")
        case (.failure(let found), let expected?):
            require(found == expected, "\(name) was refused as \(found), not \(expected)")
            require(!found.description.isEmpty, "an error without a description")
        case (.failure(let found), nil): violated("\(name) is valid, but was refused: \(found)")
        case (.success(let found), let expected?): violated("\(expected), but it was accepted: \(found)")
        }
    }

    /// Changes the bytes, sometimes the prefix, and makes the checksum right again.
    ///
    /// - Parameters:
    ///   - least: The bytes to decode are padded to this count.
    ///   - prefixChance: The prefix changes one time in this many.
    static func mutate(
        _ input: [UInt8], extra: Int = 0, least: Int, prefixChance: Int = 4, maximum: Int, _ random: inout SeededRandom,
        _ blind: BlindMutation, _ change: (inout LocatedInput, inout SeededRandom) -> Void
    ) -> [UInt8] {
        if random.oneIn(8) { return blind(input, maximum) }
        let missing = max(0, 12 + extra + least - input.count)
        var bytes = input + repeatElement(0, count: missing)
        if random.oneIn(prefixChance) { Mutation.change(0..<(12 + extra), of: &bytes, blind) }
        var located = LocatedInput(bytes, extra: extra)!
        change(&located, &random)
        return located.prefix + located.bytes
    }
}
