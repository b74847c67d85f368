internal import HeartwoodTesting
internal import CZlib
internal import HeartwoodFormat

/// The input: the limit (2 bytes), then a value in its stored form.
///
/// A stored form has a value exactly if zlib, called here piece by piece, finds one stream that fills the input and
/// yields the declared length within the limit. It is the same value, and survives compressing and inflating.
enum ValueTarget {
    private static let prefix = 2

    static func run(_ input: UnsafeRawBufferPointer, in workspace: Workspace) {
        guard input.count >= prefix else { return }
        let bytes = [UInt8](input)
        let limit = Int(bytes.number(at: 0, bytes: 2))
        let stored = Array(bytes[prefix...])
        let result = workspace.decoding(stored) { (stored) throws(FormatError) in
            try Inflater.value(of: stored, limit: limit)
        }
        switch (result, expected(stored, limit: limit)) {
        case (.success(let value), let expected?):
            require(value == expected, "another value than zlib's")
            require(value.count <= limit, "\(value.count) bytes over a limit of \(limit)")
            checkRoundTrip(value, workspace)
        case (.failure(let error), nil):
            require(error == .invalidField(.compressedValue), "the error is \(error)")
        case (.failure(let error), .some): violated("a sound value was refused: \(error)")
        case (.success(let value), nil): violated("\(value.count) bytes of an invalid stored form")
        }
    }

    private static func checkRoundTrip(_ value: [UInt8], _ workspace: Workspace) {
        guard value.count <= 2048, let stored = value.withUnsafeBytes({ workspace.deflater.storedForm(of: $0) })
        else { return }
        require(stored.count <= value.count - value.count / 8, "a stored form that saves nothing")
        let back = workspace.decoding(stored) { (stored) throws(FormatError) in
            try Inflater.value(of: stored, limit: value.count)
        }
        require(back == .success(value), "compressed and inflated it is another value")
    }

    private static func expected(_ stored: [UInt8], limit: Int) -> [UInt8]? {
        guard stored.count > 4 else { return nil }
        let declared = Int(stored.number(at: 0, bytes: 4))
        guard declared <= limit, let (value, used) = inflate(stored, limit: declared) else { return nil }
        return value.count == declared && used == stored.count ? value : nil
    }

    /// The first deflate stream after the length, and its end; nil if there is none or it is longer than the limit.
    static func inflate(_ stored: [UInt8], limit: Int) -> (value: [UInt8], end: Int)? {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, size) == Z_OK else { fatalError("zlib has no memory") }
        defer { inflateEnd(&stream) }
        var value: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        var input = stored
        return input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress! + 4
            stream.avail_in = UInt32(input.count - 4)
            while true {
                let (status, count) = piece.withUnsafeMutableBufferPointer { piece in
                    stream.next_out = piece.baseAddress
                    stream.avail_out = UInt32(piece.count)
                    let status = CZlib.inflate(&stream, Z_NO_FLUSH)
                    return (status, piece.count - Int(stream.avail_out))
                }
                value += piece[..<count]
                if value.count > limit { return nil }
                if status == Z_STREAM_END { return (value, input.count - Int(stream.avail_in)) }
                guard status == Z_OK, count > 0 else { return nil }
            }
        }
    }

    static func mutate(
        _ input: [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation, _ workspace: Workspace
    ) -> [UInt8] {
        let maximum = FuzzTarget.value.maximumInput
        var bytes = random.oneIn(8) ? Array(input.prefix(prefix)) + made(&random, workspace) : blind(input, maximum)
        guard bytes.count > prefix + 4 else { return bytes }
        if random.oneIn(4) { bytes.setNumber(UInt64(random.below(1 << 16)), at: 0, bytes: 2) }
        // Repair: the length of the stream, and nothing after its end.
        if !random.oneIn(4), let (value, end) = inflate(Array(bytes[prefix...]), limit: 1 << 14) {
            bytes.setNumber(UInt64(value.count), at: prefix, bytes: 4)
            if !random.oneIn(4) { bytes.removeLast(bytes.count - prefix - end) }
        } else if random.oneIn(4) {
            bytes.setNumber(random.pick(Mutation.numbers), at: prefix, bytes: 4)
        }
        return bytes
    }

    /// A value that compresses well, in its stored form.
    static func made(_ random: inout SeededRandom, _ workspace: Workspace) -> [UInt8] {
        let phrase = (0...random.below(40)).map { _ in UInt8(random.below(256)) }
        let count = 32 + random.below(random.oneIn(4) ? 6000 : 600)
        var value: [UInt8] = []
        while value.count < count { value += random.oneIn(9) ? [UInt8(random.below(256))] : phrase }
        return value.withUnsafeBytes { workspace.deflater.storedForm(of: $0) } ?? [1, 0, 0, 0, 3, 0]
    }
}
