import HeartwoodFormat
import Testing

@Suite struct ValueCompressionTests {
    /// zlib's own output for "aaaa…" (100 times), made by another program: raw deflate, level 6.
    private static let hundredLetters: [UInt8] = [100, 0, 0, 0, 0x4B, 0x4C, 0xA4, 0x3D, 0x00, 0x00]

    private func inflate(_ stored: [UInt8], limit: Int = 1 << 20) -> Result<[UInt8], FormatError> {
        stored.decoded { (buffer) throws(FormatError) in try Inflater.value(of: buffer, limit: limit) }
    }

    private func deflate(_ value: [UInt8], level: Int = 6) throws -> [UInt8]? {
        let deflater = try #require(Deflater(level: level))
        return value.withUnsafeBytes { deflater.storedForm(of: $0) }
    }

    private let refused = Result<[UInt8], FormatError>.failure(.invalidField(.compressedValue))

    /// Text with repetitions.
    private func text(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var random = TestRandom(seed: seed)
        let words = (0..<40).map { _ in random.bytes(2 + random.below(7)).map { $0 % 26 + 97 } }
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += words[random.below(words.count)] + [32] }
        return Array(bytes[..<count])
    }

    @Test func readsWhatAnotherProgramCompressed() {
        #expect(inflate(Self.hundredLetters) == .success([UInt8](repeating: 97, count: 100)))
    }

    @Test(arguments: 1...9)
    func everyLevelReadsTheSame(level: Int) throws {
        for count in [100, 1000, 40_000, 300_000] {
            let value = text(count)
            let stored = try #require(try deflate(value, level: level))
            #expect(Array(stored[..<4]) == (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) })
            #expect(stored.count <= count - count / 8)
            #expect(inflate(stored) == .success(value))
        }
    }

    @Test func oneStreamServesManyValues() throws {
        let deflater = try #require(Deflater(level: 1))
        var random = TestRandom(seed: 5)
        for round in 0..<200 {
            let isNoise = random.below(4) == 0
            let value = isNoise ? random.bytes(200) : text(64 + random.below(3000), seed: UInt64(round))
            let stored = value.withUnsafeBytes { deflater.storedForm(of: $0) }
            #expect(!(isNoise && stored != nil))
            if let stored { #expect(inflate(stored) == .success(value)) }
        }
    }

    /// Noise, then letters that shrink to almost nothing: their number sets the saving to the byte.
    @Test func isUsedOnlyIfItSavesAnEighth() throws {
        var random = TestRandom(seed: 8)
        let noise = random.bytes(800)
        var slack: [Int] = []
        for letters in 0...300 {
            let value = noise + [UInt8](repeating: 97, count: letters)
            let stored = try deflate(value)
            // After an eighth is saved, every further letter saves more.
            #expect(slack.isEmpty || stored != nil)
            if let stored { slack.append(value.count - value.count / 8 - stored.count) }
        }
        let first = try #require(slack.first)
        #expect(slack.allSatisfy { $0 >= 0 })
        #expect(first < 8, "a value was refused that saved an eighth")
        #expect(slack.count > 50 && slack.count < 200)
    }

    @Test func shortValuesAreStoredAsTheyAre() throws {
        for count in 0..<32 { #expect(try deflate([UInt8](repeating: 0, count: count)) == nil) }
        #expect(try deflate([UInt8](repeating: 0, count: 32)) != nil)
    }

    @Test func aDeclaredLengthThatIsWrongIsRefused() throws {
        let value = text(1000)
        var stored = try #require(try deflate(value))
        for length in [0, 1, 999, 1001, 1002, 65_536, 1 << 20] as [UInt32] {
            stored.replace(number: length, at: 0)
            #expect(inflate(stored) == refused, "\(length)")
        }
        stored.replace(number: 1000 as UInt32, at: 0)
        #expect(inflate(stored) == .success(value))
    }

    @Test func nothingIsAllocatedBeyondTheLimit() throws {
        let value = text(1000)
        let stored = try #require(try deflate(value))
        #expect(inflate(stored, limit: 1000) == .success(value))
        #expect(inflate(stored, limit: 999) == refused)
        #expect(inflate(stored, limit: 0) == refused)
    }

    /// A few bytes declare gigabytes: more than deflate can yield from them, so they are refused unread.
    @Test func aBombIsRefusedUnread() {
        for length in [20_000, 1 << 20, 1 << 30, .max - 1] as [UInt32] {
            var bomb = Self.hundredLetters
            bomb.replace(number: length, at: 0)
            #expect(inflate(bomb, limit: 1 << 31) == refused)
        }
    }

    /// A bomb with the right length is stopped by the limit; one with a wrong length by that length.
    @Test func aBombThatYieldsMoreThanItDeclaresIsRefused() throws {
        let zeros = [UInt8](repeating: 0, count: 4 << 20)
        var stored = try #require(try deflate(zeros, level: 9))
        #expect(stored.count < 8192)
        #expect(inflate(stored, limit: 4 << 20) == .success(zeros))
        #expect(inflate(stored, limit: 4 << 20 - 1) == refused)
        stored.replace(number: 1000 as UInt32, at: 0)
        #expect(inflate(stored) == refused)
    }

    @Test func everyTruncationIsRefused() throws {
        let stored = try #require(try deflate(text(600)))
        for count in 0..<stored.count { #expect(inflate(Array(stored[..<count])) == refused) }
        #expect(inflate(stored + [0]) == refused)
    }

    @Test func flippedBitsGiveTheDeclaredLengthOrAreRefused() throws {
        let value = text(500)
        var stored = try #require(try deflate(value))
        for bit in 0..<(stored.count * 8) {
            stored.flipBit(bit)
            // Deflate has no checksum of its own: the record's checksum finds such values.
            if case .success(let found) = inflate(stored, limit: 1 << 16) {
                #expect(bit >= 32 && found.count == 500)
            }
            stored.flipBit(bit)
        }
    }

    @Test func theDeclaredLengthIsRead() throws {
        let length = try Self.hundredLetters.decoding { (buffer) throws(FormatError) in
            try Inflater.declaredLength(of: buffer)
        }
        #expect(length == 100)
        for count in 0...4 {
            let short = [UInt8](repeating: 1, count: count)
            #expect(throws: FormatError.invalidField(.compressedValue)) {
                try short.decoding { (buffer) throws(FormatError) in try Inflater.declaredLength(of: buffer) }
            }
        }
    }
}

/// A check without the value gives the same answer as reading the value.
@Suite struct PieceInflaterTests {
    private func check(_ stored: [UInt8], piece: Int) -> Bool {
        let check = PieceInflater()
        for _ in 0..<2 {
            check.begin(stored.count)
            for start in stride(from: 0, to: stored.count, by: piece) {
                stored[start..<min(start + piece, stored.count)].withUnsafeBytes { check.add($0) }
            }
        }
        return check.end() == nil
    }

    @Test(arguments: [1, 3, 4, 5, 100, 1 << 20])
    func itAgreesWithReading(_ piece: Int) throws {
        let deflater = try #require(Deflater(level: 6))
        for length in [32, 1_000, 70_000, 300_000] {
            let value = (0..<length).map { UInt8(truncatingIfNeeded: $0 / 100) }
            let stored = try #require(value.withUnsafeBytes { deflater.storedForm(of: $0) })
            var forms = [stored, stored + [0], Array(stored.dropLast()), Array(stored.prefix(4)), []]
            for position in [0, 3, 4, stored.count / 2, stored.count - 1] {
                var form = stored
                form[position] ^= 0x11
                forms.append(form)
            }
            for form in forms {
                let isReadable = form.withUnsafeBytes { (try? Inflater.value(of: $0, limit: 1 << 30)) != nil }
                #expect(check(form, piece: piece) == isReadable, "\(form.count) bytes of \(length)")
            }
        }
    }
}
