internal import HeartwoodTesting
internal import HeartwoodFormat

/// The input: the file's salt (4 bytes), the block's offset (8), the offset at which records end (8), then the block's
/// header and its entries, and what follows.
///
/// A block is accepted exactly if the rules of the file format accept it; otherwise it is refused for the first rule
/// that it breaks. Its entries survive encoding and decoding. With another salt or at another offset it is never
/// accepted.
enum KeyBlockTarget {
    /// The offset at which records end.
    private static let extra = 8

    struct Entry: Equatable {
        var key: [UInt8]
        var offset: UInt64
        var length: UInt64
        var expiry: UInt64
    }

    static func run(_ input: UnsafeRawBufferPointer, in workspace: Workspace) {
        guard let located = LocatedInput([UInt8](input), extra: extra) else { return }
        let (block, salt, offset, limit) = (located.bytes, located.salt, located.offset, limit(located))
        let expected = expected(block, salt, offset, limit)
        located.judge("a block", expected: expected.failure) { salt, offset in
            decode(block, salt, offset, limit, workspace)
        } check: { found in
            require(.success(found) == expected, "other entries: \(found), not \(expected)")
            let again = decode(encoded(found, salt, offset), salt, offset, limit, workspace)
            require(again == .success(found), "encoded and decoded, the entries differ")
        }
    }

    private static func limit(_ located: LocatedInput) -> UInt64 { located.prefix.number(at: 12, bytes: 8) }

    private static func decode(
        _ bytes: [UInt8], _ salt: UInt32, _ offset: UInt64, _ limit: UInt64, _ workspace: Workspace
    ) -> Result<[Entry], FormatError> {
        let batch = KeyBatch()
        return workspace.decoding(bytes) { (bytes) throws(FormatError) in
            let header = try KeyBlock.decodeHeader(bytes, salt: salt, offset: offset)
            let end = min(32 + header.length, bytes.count)
            let entries = UnsafeRawBufferPointer(rebasing: bytes[32..<end])
            var cursor: KeyBatch.Cursor?
            repeat { cursor = try batch.decode(entries, header, limit: limit, from: cursor) } while cursor != nil
            return (0..<batch.count).map { index in
                let entry = batch.entry(index)
                return Entry(
                    key: [UInt8](batch.key(index)), offset: entry.offset, length: UInt64(entry.length),
                    expiry: entry.expiry)
            }
        }
    }

    private static func encoded(_ entries: [Entry], _ salt: UInt32, _ offset: UInt64) -> [UInt8] {
        var encoder = KeyBlockEncoder()
        for entry in entries {
            entry.key.withUnsafeBytes {
                encoder.add($0, offset: entry.offset, length: Int(entry.length), expiry: entry.expiry)
            }
        }
        var bytes: [UInt8] = []
        encoder.finish(salt: salt, offset: offset) { bytes = [UInt8]($0) }
        return bytes
    }

    // MARK: - The rules of the file format

    /// The entries, or what is wrong.
    static func expected(
        _ bytes: [UInt8], _ salt: UInt32, _ offset: UInt64, _ limit: UInt64
    ) -> Result<[Entry], FormatError> {
        if bytes.count < 32 { return .failure(.truncated) }
        if bytes[..<4] != [0x48, 0x57, 0x4B, 0x42] { return .failure(.wrongMagic) }
        if bytes.number(at: 28, bytes: 4) != UInt64(bytes.checksum(0..<28, salt: salt, offset: offset)) {
            return .failure(.checksumMismatch)
        }
        if !bytes.isZero(20..<24) { return .failure(.invalidField(.reserved)) }
        let count = bytes.number(at: 4, bytes: 4)
        let length = bytes.number(at: 16, bytes: 4)
        if length % 8 != 0 || length > 131_104 || count == 0 || count * 4 > length {
            return .failure(.invalidField(.blockLength))
        }
        let end = 32 + Int(length)
        if end > bytes.count { return .failure(.truncated) }
        if bytes.number(at: 24, bytes: 4) != UInt64(bytes.checksum(32..<end, salt: salt, offset: offset)) {
            return .failure(.checksumMismatch)
        }
        let first = bytes.number(at: 8, bytes: 8)
        if first % 8 != 0 || first < 4096 || first > limit { return .failure(.invalidField(.blockLength)) }
        var walk = Walk(bytes: Array(bytes[32..<end]), record: first, limit: limit)
        return Result { () throws(FormatError) in
            for _ in 0..<count { try walk.next() }
            let rest = walk.bytes[walk.at...]
            if rest.count >= 8 || rest.contains(where: { $0 != 0 }) { throw .invalidField(.blockLength) }
            return walk.entries
        }
    }

    private struct Walk {
        let bytes: [UInt8]
        var record: UInt64
        let limit: UInt64
        var at = 0
        var entries: [Entry] = []

        private mutating func byte() throws(FormatError) -> UInt64 {
            if at == bytes.count { throw .truncated }
            at += 1
            return UInt64(bytes[at - 1])
        }

        private mutating func number() throws(FormatError) -> UInt64 {
            var number: UInt64 = 0
            for index in 0..<5 as Range<UInt64> {
                let byte = try byte()
                number += (byte % 128) << (7 * index)
                if byte < 128 { return number }
            }
            throw .invalidField(.blockLength)
        }

        mutating func next() throws(FormatError) {
            let (shared, rest, eights) = (try number(), try number(), try number())
            var expiry: UInt64 = 0
            if eights % 2 == 1 {
                if bytes.count - at < 8 { throw .truncated }
                expiry = bytes.number(at: at, bytes: 8)
                at += 8
                if expiry == 0 { throw .invalidField(.expiry) }
            }
            let last = entries.last?.key ?? []
            if rest == 0 || shared > last.count || shared + rest > 65_535 || rest > bytes.count - at {
                throw .invalidField(.keyLength)
            }
            let length = eights / 2 * 8
            if length < 32 + (shared + rest + 7) / 8 * 8 || length > 2_147_479_552 || length > limit - record {
                throw .invalidField(.blockLength)
            }
            let key = last[..<Int(shared)] + bytes[at..<(at + Int(rest))]
            if !entries.isEmpty {
                // The key must be greater than the last one, and share exactly the stated prefix.
                let common = zip(last, key).prefix { $0 == $1 }.count
                if !last.lexicographicallyPrecedes(key) || common != shared { throw .invalidField(.keyOrder) }
            }
            at += Int(rest)
            entries.append(Entry(key: Array(key), offset: record, length: length, expiry: expiry))
            record += length
        }
    }

    // MARK: - Mutation

    static func mutate(_ input: [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation) -> [UInt8] {
        LocatedInput.mutate(
            input, extra: extra, least: 32, prefixChance: 6, maximum: FuzzTarget.keyBlock.maximumInput, &random, blind
        ) { located, random in
            KeyBlockMutation.run(&located.bytes, &random, blind)
            guard !random.oneIn(16) else { return }
            Repair.keyBlock(&located.bytes, at: 0, salt: located.salt, fileOffset: located.offset)
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
