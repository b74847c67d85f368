internal import HeartwoodCampaignSupport
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Encoding and decoding, without a store.
enum FormatOperations {
    static var all: [Operation] {
        [
            Operation(name: "checksum-32", summary: "CRC-32C of 32 bytes", times: 2_000) { _ in checksum(32) },
            Operation(name: "checksum-4096", summary: "CRC-32C of 4,096 bytes", times: 1_000) { _ in checksum(4_096) },
            Operation(name: "encode", summary: "a record encoded, with checksums and location", times: 2_000) { _ in
                encode()
            },
            Operation(name: "decode", summary: "a record of a log, found and verified by the scanner", times: 2_000) {
                try await decode($0)
            },
            Operation(name: "compress", summary: "a JSON document of 1 KB, deflate level 1", times: 50) { _ in
                try compress()
            },
            Operation(name: "decompress", summary: "the same document, inflated", times: 100) { _ in
                try decompress()
            },
        ]
    }

    private static func checksum(_ length: Int) -> Operation.Work {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let wanted = bytes.withUnsafeBytes { CRC32C.checksum($0) }
        return { times in
            // All differences must be 0.
            var difference: UInt32 = 0
            for _ in 0..<times { difference |= bytes.withUnsafeBytes { CRC32C.checksum($0) } ^ wanted }
            try WrongOutcome.unless(difference, is: 0, "a checksum's difference")
        }
    }

    private static func encode() -> Operation.Work {
        let keys = CountedData.keys(64)
        let values = CountedData.values
        // Not freed until the process ends.
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 4_096)
        let walk = Walk(keys.count)
        return { times in
            var length = 0
            walk.next(times) { position in
                keys[position].withUnsafeBytes { key in
                    values[position].withUnsafeBytes { value in
                        let record = SingleRecord(.put, key: key, value: value, expiry: 0)
                        record.encode(
                            to: memory.baseAddress!, sequenceDistance: UInt64(position),
                            tag: ChecksumTag(salt: 7, offset: 4_096))
                        length += record.encodedLength
                    }
                }
            }
            let payload = (CountedData.keyBytes + CountedData.valueBytes + 7) & ~7
            try WrongOutcome.unless(
                length, is: times * (FormatConstants.recordHeaderSize + payload), "bytes of records")
        }
    }

    private static func decode(_ preparation: Preparation) async throws -> Operation.Work {
        let files = InMemoryFileSystem()
        let count = (2 * preparation.times + 99) / 100 * 100
        try await SteadyStore.make(files, at: "/store", CountedData.keys(count))
        let bytes = try files.bytes(of: "/store/" + StoreFileName.log(1))
        let header = try bytes.withUnsafeBytes { buffer throws(FormatError) in
            try FileHeader.decode(UnsafeRawBufferPointer(rebasing: buffer[..<FormatConstants.fileHeaderSize]))
        }
        return { times in
            var scanner = SegmentScanner(source: ArrayBytes(bytes: bytes), header: header)
            var commit = ScannedCommit()
            var found = 0
            scanning: while found < times {
                switch scanner.next(into: &commit) {
                case .commit: found += commit.records.count
                case .stop: break scanning
                }
            }
            // Each commit has a hundred records.
            try WrongOutcome.unless(found, is: (times + 99) / 100 * 100, "records of the log")
        }
    }

    private static func compress() throws -> Operation.Work {
        let document = CountedData.document
        guard let deflater = Deflater(level: 1) else { throw WrongOutcome("zlib has no memory") }
        let wanted = document.withUnsafeBytes { deflater.storedForm(of: $0) }?.count
        return { times in
            for _ in 0..<times {
                let stored = document.withUnsafeBytes { deflater.storedForm(of: $0) }
                try WrongOutcome.unless(stored?.count, is: wanted, "bytes of the stored form")
            }
        }
    }

    private static func decompress() throws -> Operation.Work {
        let document = CountedData.document
        guard let stored = document.withUnsafeBytes({ Deflater(level: 1)?.storedForm(of: $0) }) else {
            throw WrongOutcome("the document wasn't compressed")
        }
        return { times in
            for _ in 0..<times {
                let value = try stored.withUnsafeBytes { bytes throws(FormatError) in
                    try Inflater.value(of: bytes, limit: 1 << 20)
                }
                try WrongOutcome.unless(value.count, is: document.count, "bytes of the document")
            }
        }
    }
}
