/// A value as a record stores it. Its bytes can be had piece by piece, in constant memory beside the stored ones.
package struct StoredValue: Sendable {
    private let stored: [UInt8]
    private let isCompressed: Bool
    /// Bytes of the value.
    package let count: Int

    /// - Throws: `.invalidField(.compressedValue)` if the length that a compressed value declares can't be right.
    package init(_ stored: [UInt8], isCompressed: Bool) throws(FormatError) {
        (self.stored, self.isCompressed) = (stored, isCompressed)
        count = isCompressed ? try Self.declaredLength(of: stored) : stored.count
    }

    private static func declaredLength(of stored: [UInt8]) throws(FormatError) -> Int {
        try stored.withUnsafeBytes { bytes in
            Result { () throws(FormatError) in try Inflater.declaredLength(of: bytes) }
        }.get()
    }

    /// Calls `body` with the value's bytes, at most 64 KiB a call. O(bytes).
    ///
    /// - Throws: What `body` throws; `FormatError.invalidField(.compressedValue)`, after the bytes that could be
    ///   decompressed.
    package func forEachPiece(_ body: ([UInt8]) throws -> Void) throws {
        let inflater = isCompressed ? PieceInflater() : nil
        inflater?.begin(stored.count)
        for start in stride(from: 0, to: stored.count, by: 64 << 10) {
            let piece = stored[start..<min(start + 64 << 10, stored.count)]
            if let inflater {
                try piece.withUnsafeBytes { try inflater.add($0) { try body([UInt8]($0)) } }
            } else {
                try body([UInt8](piece))
            }
        }
        if let error = inflater?.end() { throw error }
    }
}
