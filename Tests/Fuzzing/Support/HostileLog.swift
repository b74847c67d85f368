package import HeartwoodFileSystem
package import HeartwoodFormat

/// A segment with fields that no writer makes, under valid checksums.
package struct HostileLog {
    package static let salt: UInt32 = 0x0BAD_5EED

    package var bytes: [UInt8]
    /// The size of the file; if it is larger than `bytes`, the file ends with a hole.
    package var size: UInt64?

    package init(firstSequence: UInt64 = 1, predecessor: FileHeader.Predecessor? = nil, salt: UInt32 = HostileLog.salt)
    {
        bytes =
            FileHeader(
                kind: .log, storeID: StoreID(low: 1, high: 2), salt: salt, firstSequence: firstSequence,
                predecessor: predecessor, creationTime: 0
            ).encoded()
    }

    /// Appends a commit header and `body`, which need not fit the header.
    package mutating func commit(
        bodyLength: UInt64? = nil, firstSequence: UInt64 = 1, syncedMark: UInt64 = 4096, recordCount: UInt32 = 1,
        flags: CommitHeader.Flags = [], time: UInt64 = 0, _ body: (_ offset: UInt64) -> [UInt8]
    ) {
        let offset = UInt64(bytes.count)
        let body = body(offset + 48)
        bytes += CommitHeader(
            flags: flags, bodyLength: bodyLength ?? UInt64(body.count), firstSequence: firstSequence,
            syncedMark: syncedMark, time: time, recordCount: recordCount
        ).encoded(salt: Self.salt, offset: offset)
        bytes += body
    }

    /// A record with these lengths. The payload may be shorter; the caller appends the rest or leaves a hole.
    package static func record(
        kind: UInt8 = 1, flags: UInt8 = 0, keyLength: UInt16, valueLength: UInt32, distance: UInt64 = 0,
        expiry: UInt64 = 0, payload: [UInt8] = [], checksum: UInt32? = nil, at offset: UInt64
    ) -> [UInt8] {
        let tag = ChecksumTag(salt: salt, offset: offset)
        var header = [kind, flags]
        header.append(number: keyLength)
        header.append(number: valueLength)
        header.append(number: distance)
        header.append(number: expiry)
        header.append(number: tag.apply(checksum ?? CRC32C.checksum(payload)))
        header.append(number: tag.apply(CRC32C.checksum(header)))
        return header + payload
    }

    /// A file system with these segments in "/store".
    package static func fileSystem(_ segments: [(first: UInt64, log: HostileLog)]) throws -> InMemoryFileSystem {
        let fileSystem = InMemoryFileSystem()
        try fileSystem.createDirectory("/store")
        for (first, log) in segments {
            let file = try fileSystem.openFile("/store/" + StoreFileName.log(first), for: .create)
            try log.bytes.withUnsafeBytes { try file.writeFully($0, at: 0) }
            if let size = log.size { try file.truncate(to: size) }
            try file.close()
        }
        return fileSystem
    }
}

extension Array<UInt8> {
    /// Appends a number, little-endian.
    package mutating func append<T: FixedWidthInteger>(number: T) {
        for byte in 0..<(T.bitWidth / 8) { append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
    }
}

/// Streams that inflate to far more bytes than they have.
package enum Bomb {
    /// A value in its stored form: a declared length, then a deflate stream of about `count` zeros.
    ///
    /// One block with fixed codes: a zero, then copies of 258 bytes at distance 1, with 13 bits each.
    package static func stored(declaring declared: UInt32, yielding count: Int) -> [UInt8] {
        var stored: [UInt8] = []
        stored.append(number: declared)
        // Bits, first to last: final block, fixed codes, the literal 0, then eight copies.
        let copy: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]
        let copies = (0..<8).flatMap { _ in copy }
        let start: [UInt8] = [1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0]
        let head = start + copies
        // Eight copies are 13 whole bytes, so the bytes repeat.
        let period = packed(Array((head + copies + copies)[16..<(16 + 104)]))
        stored += packed(Array(head[..<16]))
        var run = period
        while run.count < count / 258 / 8 * 13 { run += run }
        return stored + run
    }

    private static func packed(_ bits: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bits.count, by: 8).map { start in
            (0..<8).reduce(0) { $0 | bits[start + $1] << UInt8($1) }
        }
    }
}
