extension TupleDecoder {
    /// Passes over one element of any type. It looks only for the element's end: it checks neither that text is UTF-8
    /// nor how many tuples are in each other.
    ///
    /// - Returns: The element's bytes, a part of those that the decoder reads. In a nested tuple, nil is `00 FF`.
    /// - Throws: `StoreError` with the code `corruption` if no element follows, if its type is unknown, or if it isn't
    ///   complete.
    /// - Complexity: O(bytes of the element), without recursion.
    package mutating func skip() throws(StoreError) -> ArraySlice<UInt8> {
        // One decoder for all levels: `depth` is how many tuples are open.
        var next = self
        repeat {
            if next.depth > depth, next.isAtEnd {
                guard next.position < bytes.endIndex else { throw Self.truncated() }
                next.depth -= 1
                next.position += 1
            } else if try next.code() == TupleCode.nested {
                next.depth += 1
                next.position += 1
            } else if !next.decodeNil() {
                next.position = try next.endOfElement()
            }
        } while next.depth > depth
        defer { position = next.position }
        return bytes[position..<next.position]
    }

    /// Whether a tuple is in 128 others, so that no decoder reads it. O(1) for most keys: each tuple takes two bytes.
    static func isTooDeep(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 2 * maximumDepth else { return false }
        var next = TupleDecoder(bytes)
        while next.position < bytes.endIndex {
            if next.isAtEnd {
                next.depth -= 1
                next.position += 1
            } else if bytes[next.position] == TupleCode.nested {
                if next.depth == maximumDepth { return true }
                next.depth += 1
                next.position += 1
            } else if !next.decodeNil() {
                guard let end = try? next.endOfElement() else { return false }
                next.position = end
            }
        }
        return false
    }

    /// Where the next element ends, which is neither nil nor a tuple.
    private func endOfElement() throws(StoreError) -> Int {
        let code = try code()
        let count: Int
        switch code {
        case TupleCode.bytes, TupleCode.string: return try textEnd().end + 1
        case TupleCode.false, TupleCode.true: count = 0
        case TupleCode.float: count = 4
        case TupleCode.double: count = 8
        case TupleCode.uuid: count = 16
        default: return try integer().end
        }
        guard bytes.endIndex - position > count else { throw Self.truncated() }
        return position + 1 + count
    }
}

extension TupleDecoder {
    /// The code of the next element.
    @inlinable
    func code() throws(StoreError) -> UInt8 {
        guard !isAtEnd else { throw Self.missing() }
        return bytes[position]
    }

    @inlinable
    func isEscape(at index: Int) -> Bool { index < bytes.endIndex && bytes[index] == TupleCode.escape }

    /// A number of up to eight bytes, most significant first.
    @inlinable
    func bigEndian(at start: Int, count: Int) throws(StoreError) -> UInt64 {
        guard start <= bytes.endIndex, bytes.endIndex - start >= count else { throw Self.truncated() }
        var number: UInt64 = 0
        for byte in bytes[start..<start + count] { number = number << 8 | UInt64(byte) }
        return number
    }

    /// The next element, an integer: its sign, its lowest 64 bits as two's complement, and where it ends. Numbers with
    /// more bytes than needed are refused, so that each number has one encoding, or two: Python's for 2^64 - 1 is
    /// accepted as well.
    @inlinable
    func integer() throws(StoreError) -> (isNegative: Bool, bits: UInt64, end: Int) {
        let code = try code()
        if code == TupleCode.largeInteger {
            guard try bigEndian(at: position + 1, count: 1) == 8 else { throw Self.outOfRange("UInt64") }
            return (false, try bigEndian(at: position + 2, count: 8), position + 10)
        }
        let isNegative = code < TupleCode.zero
        let count = abs(Int(code) - Int(TupleCode.zero))
        guard count <= 8 else { throw mismatch(code, "an integer") }
        let number = try bigEndian(at: position + 1, count: count)
        let magnitude = isNegative ? ~number & (.max >> UInt64(64 - 8 * count)) : number
        guard TupleEncoder.byteCount(magnitude) == count else { throw Self.mismatch("an integer with leading zeros") }
        guard !isNegative || magnitude <= 1 << 63 else { throw Self.outOfRange("Int64") }
        return (isNegative, isNegative ? 0 &- magnitude : magnitude, position + 1 + count)
    }

    /// The bytes of the next element, which has this code, and where the element ends.
    func content(of code: UInt8, _ expected: String) throws(StoreError) -> (content: ArraySlice<UInt8>, end: Int) {
        let found = try self.code()
        guard found == code else { throw mismatch(found, expected) }
        let (end, escapes) = try textEnd()
        let content = bytes[position + 1..<end]
        guard escapes > 0 else { return (content, end + 1) }
        var unescaped: [UInt8] = []
        unescaped.reserveCapacity(content.count - escapes)
        var isEscape = false
        for byte in content {
            if isEscape {
                isEscape = false
                continue
            }
            unescaped.append(byte)
            isEscape = byte == 0
        }
        return (unescaped[...], end + 1)
    }

    /// Where the terminator of the next element is, a text or bytes, and how many zeros are escaped before it.
    private func textEnd() throws(StoreError) -> (end: Int, escapes: Int) {
        // Without the checks of the slice's indices, which take most of the time otherwise.
        let found: (end: Int, escapes: Int)? = bytes[(position + 1)...].withUnsafeBufferPointer { bytes in
            var escapes = 0
            var index = 0
            while index < bytes.count {
                if bytes[index] != 0 {
                    index += 1
                } else if index + 1 < bytes.count, bytes[index + 1] == TupleCode.escape {
                    escapes += 1
                    index += 2
                } else {
                    return (position + 1 + index, escapes)
                }
            }
            return nil
        }
        guard let found else { throw Self.truncated() }
        return found
    }
}

extension TupleDecoder {
    /// The error for an element of another type.
    @usableFromInline
    @inline(never)
    func mismatch(_ code: UInt8, _ expected: String) -> StoreError {
        let digits = String(code, radix: 16, uppercase: true)
        return Self.mismatch("an element with the code 0x\(code < 16 ? "0" : "")\(digits) instead of \(expected)")
    }

    @usableFromInline
    @inline(never)
    static func mismatch(_ found: String) -> StoreError {
        StoreError(
            .corruption, "a key has \(found): read it with the types that it was written with, or verify the store")
    }

    @usableFromInline
    @inline(never)
    static func outOfRange(_ type: String) -> StoreError {
        mismatch("an integer outside the range of \(type)")
    }

    @usableFromInline
    @inline(never)
    static func missing() -> StoreError { mismatch("fewer elements than expected") }

    @usableFromInline
    @inline(never)
    static func truncated() -> StoreError { mismatch("an element that isn't complete") }
}
