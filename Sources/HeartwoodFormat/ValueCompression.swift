internal import CZlib

/// Compresses values to their stored form: the uncompressed length (4 bytes), then raw deflate.
///
/// It keeps one zlib stream and resets it for each value: creating a stream costs as much as compressing a small value.
package final class Deflater {
    private var stream = z_stream()
    private let level: Int32

    /// - Returns: Nil if zlib can't allocate its memory (about 256 KiB).
    package init?(level: Int) {
        self.level = Int32(level)
        let size = Int32(MemoryLayout<z_stream>.size)
        guard
            deflateInit2_(&stream, self.level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
                == Z_OK
        else { return nil }
    }

    deinit { deflateEnd(&stream) }

    /// The stored form of a value; nil if it doesn't save at least an eighth. O(bytes).
    package func storedForm(of value: UnsafeRawBufferPointer) -> [UInt8]? {
        guard value.count >= 32, value.count <= Int(UInt32.max) else { return nil }
        let limit = value.count - value.count / 8
        guard deflateReset(&stream) == Z_OK else { return nil }
        var succeeded = false
        let stored = [UInt8](unsafeUninitializedCapacity: limit) { output, count in
            let base = UnsafeMutableRawPointer(output.baseAddress!)
            base.store(UInt32(value.count), littleEndianAt: 0)
            stream.next_in = UnsafeMutablePointer(mutating: value.bindMemory(to: UInt8.self).baseAddress!)
            stream.avail_in = UInt32(value.count)
            stream.next_out = output.baseAddress! + 4
            stream.avail_out = UInt32(limit - 4)
            succeeded = deflate(&stream, Z_FINISH) == Z_STREAM_END
            count = succeeded ? limit - Int(stream.avail_out) : 0
        }
        stream.next_in = nil
        stream.next_out = nil
        return succeeded ? stored : nil
    }
}

/// Decompresses a stored form that it gets in pieces, in constant memory: for values that are too long to be held, and
/// to check whether ``Inflater`` can read a form.
package final class PieceInflater {
    private var stream = z_stream()
    private var isReady = false
    private var output = [UInt8](repeating: 0, count: 64 << 10)
    private var prefix: [UInt8] = []
    private var (storedLength, declared, made) = (0, 0, 0)
    private var isSound = false
    private var isEnded = false

    package init() {}

    deinit { if isReady { inflateEnd(&stream) } }

    /// Starts with a stored form of this length.
    package func begin(_ storedLength: Int) {
        if !isReady {
            isReady = inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        } else {
            inflateReset(&stream)
        }
        self.storedLength = storedLength
        (declared, made) = (0, 0)
        prefix.removeAll(keepingCapacity: true)
        isSound = isReady && storedLength > Inflater.lengthBytes
        isEnded = false
    }

    /// Adds the next piece of the stored form. O(bytes of the piece and of its output).
    package func add(_ piece: UnsafeRawBufferPointer) { add(piece) { _ in } }

    /// As ``add(_:)``. `body` gets the next bytes of the value, at most 64 KiB a call, also those before an error.
    package func add(
        _ piece: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        var rest = piece
        if prefix.count < Inflater.lengthBytes {
            let missing = min(Inflater.lengthBytes - prefix.count, rest.count)
            prefix += rest.prefix(missing)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(missing))
            guard prefix.count == Inflater.lengthBytes else { return }
            declared = Int(prefix.withUnsafeBytes { $0.load(UInt32.self, littleEndianAt: 0) })
            if !Inflater.canYield(declared, from: storedLength) { isSound = false }
        }
        guard isSound, !rest.isEmpty else { return }
        // Nothing may follow the end of the stream.
        guard !isEnded else {
            isSound = false
            return
        }
        try inflate(rest, body)
    }

    private func inflate(
        _ piece: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        stream.next_in = UnsafeMutablePointer(mutating: piece.bindMemory(to: UInt8.self).baseAddress!)
        stream.avail_in = UInt32(piece.count)
        defer { (stream.next_in, stream.next_out) = (nil, nil) }
        try output.withUnsafeMutableBufferPointer { output in
            repeat {
                stream.next_out = output.baseAddress!
                stream.avail_out = UInt32(output.count)
                let status = CZlib.inflate(&stream, Z_NO_FLUSH)
                let count = output.count - Int(stream.avail_out)
                made += count
                isEnded = status == Z_STREAM_END
                // A piece that yields no more output is used up; that is no error.
                let isUsedUp = status == Z_BUF_ERROR && stream.avail_in == 0
                isSound = (status == Z_OK || isEnded || isUsedUp) && made <= declared
                if isSound, count > 0 { try body(UnsafeRawBufferPointer(output).slice(0, count)) }
            } while isSound && !isEnded && stream.avail_out == 0
            if isEnded, stream.avail_in > 0 { isSound = false }
        }
    }

    /// What is wrong with the stored form; nil if it is sound.
    package func end() -> FormatError? {
        isSound && isEnded && made == declared ? nil : .invalidField(.compressedValue)
    }
}

/// Decompresses stored values. Total: any bytes give a value or an error.
package enum Inflater {
    /// Bytes of the uncompressed length at the start of a stored form.
    package static let lengthBytes = 4

    /// Whether a stored form of this many bytes can have a value of this length.
    static func canYield(_ length: Int, from storedBytes: Int) -> Bool {
        length < Int(UInt32.max) && length / 1032 <= storedBytes
    }

    /// The uncompressed length that a stored value declares, without inflating it. A length that deflate can't yield is
    /// damage.
    ///
    /// - Parameter storedBytes: The length of the stored form. `stored` may contain only its beginning.
    package static func declaredLength(
        of stored: UnsafeRawBufferPointer, storedBytes: Int? = nil
    ) throws(FormatError) -> Int {
        let storedBytes = storedBytes ?? stored.count
        guard storedBytes > lengthBytes, stored.count >= lengthBytes else { throw .invalidField(.compressedValue) }
        let length = Int(stored.load(UInt32.self, littleEndianAt: 0))
        guard canYield(length, from: storedBytes) else { throw .invalidField(.compressedValue) }
        return length
    }

    /// Decompresses a stored form.
    ///
    /// - Parameter limit: The most bytes that are allocated. A stored form that declares more is refused without
    ///   inflating. So is one that declares more than deflate can yield (1,032 times its size), whatever the limit.
    /// - Throws: `.invalidField(.compressedValue)`.
    package static func value(of stored: UnsafeRawBufferPointer, limit: Int) throws(FormatError) -> [UInt8] {
        let length = try declaredLength(of: stored)
        guard length <= limit else { throw .invalidField(.compressedValue) }
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, size) == Z_OK else {
            throw .invalidField(.compressedValue)
        }
        defer { inflateEnd(&stream) }
        var isWhole = false
        // One byte more than declared: this detects a stream that yields more, and zlib never gets a null pointer.
        let value = [UInt8](unsafeUninitializedCapacity: length + 1) { output, count in
            let input = stored.bindMemory(to: UInt8.self)
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress! + 4)
            stream.avail_in = UInt32(stored.count - 4)
            stream.next_out = output.baseAddress!
            stream.avail_out = UInt32(length) + 1
            let status = inflate(&stream, Z_FINISH)
            count = length + 1 - Int(stream.avail_out)
            isWhole = status == Z_STREAM_END && count == length && stream.avail_in == 0
        }
        guard isWhole else { throw .invalidField(.compressedValue) }
        return value
    }
}
