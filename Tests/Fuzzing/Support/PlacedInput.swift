internal import HeartwoodFormat
internal import HeartwoodTesting

/// The input of a target that decodes what is checksummed for its place: the file's salt (4 bytes), the offset (8),
/// what else the target wants, then the bytes to decode.
struct PlacedInput {
    var salt: UInt32
    var offset: UInt64
    /// All that stands before the bytes.
    var prefix: [UInt8]
    var bytes: [UInt8]

    /// Nil where the input is shorter than what stands before the bytes.
    init?(_ input: [UInt8], extra: Int = 0) {
        let count = 12 + extra
        guard input.count >= count else { return nil }
        salt = UInt32(input.number(at: 0, bytes: 4))
        offset = input.number(at: 4, bytes: 8)
        prefix = Array(input[..<count])
        bytes = Array(input[count...])
    }

    /// What is sound must be read as it is expected, and as nothing anywhere else; what isn't must be refused for the
    /// reason that is expected.
    ///
    /// - Parameters:
    ///   - name: "a header".
    ///   - expected: What is wrong with the bytes.
    ///   - check: Ends the process unless what was found is what the bytes tell.
    func judge<Found: Equatable>(
        _ name: String, expected: FormatError?, _ decode: (UInt32, UInt64) -> Result<Found, FormatError>,
        check: (Found) -> Void
    ) {
        switch (decode(salt, offset), expected) {
        case (.success(let found), nil):
            check(found)
            require(
                decode(salt ^ 1 << (salt % 32), offset) == .failure(.checksumMismatch),
                "\(name) of another file was read")
            require(
                decode(salt, offset ^ 8 << (offset % 32)) == .failure(.checksumMismatch),
                "\(name) of another place was read")
        case (.failure(let found), let expected?):
            require(found == expected, "\(name) was refused as \(found), not \(expected)")
            require(!found.description.isEmpty, "an error without words")
        case (.failure(let found), nil): violated("sound, and yet \(name) was refused: \(found)")
        case (.success(let found), let expected?): violated("\(expected), and yet it was read: \(found)")
        }
    }

    /// Changes the bytes, seldom what stands before them, and makes the checksum right again.
    ///
    /// - Parameters:
    ///   - least: So many bytes there are, then.
    ///   - placeChance: One in so many times the place changes.
    static func mutate(
        _ input: [UInt8], extra: Int = 0, least: Int, placeChance: Int, maximum: Int, _ random: inout SeededRandom,
        _ blind: BlindMutation, _ change: (inout PlacedInput, inout SeededRandom) -> Void
    ) -> [UInt8] {
        if random.oneIn(8) { return blind(input, maximum) }
        let missing = max(0, 12 + extra + least - input.count)
        var bytes = input + repeatElement(0, count: missing)
        if random.oneIn(placeChance) {
            let place = Array(bytes[..<(12 + extra)])
            bytes.replaceSubrange(..<(12 + extra), with: Mutation.sameLength(place, blind))
        }
        var placed = PlacedInput(bytes, extra: extra)!
        change(&placed, &random)
        return placed.prefix + placed.bytes
    }
}
