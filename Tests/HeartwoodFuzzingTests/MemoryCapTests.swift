#if os(Linux)
import Heartwood
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodFuzzing
import Testing

/// A process with little memory reads lengths and streams that claim gigabytes.
///
/// The limit of the child covers the store's buffers and the file's own bytes. One allocation from a hostile length
/// ends it.
@Suite struct MemoryCapTests {
    /// The window on a file, two commit buffers, the thread's stack, and the allocator's own memory.
    private static let margin = 24 << 20

    @Test func theLimitEndsAProcessThatAllocatesMore() async {
        await #expect(processExitsWith: .failure) {
            try limitMemory(to: Self.margin)
            let pointer = UnsafeMutableRawPointer.allocate(byteCount: 2 * Self.margin, alignment: 16)
            pointer.storeBytes(of: 1, as: UInt8.self)
            pointer.deallocate()
        }
        await #expect(processExitsWith: .success) {
            try limitMemory(to: Self.margin)
            let pointer = UnsafeMutableRawPointer.allocate(byteCount: Self.margin / 2, alignment: 16)
            pointer.storeBytes(of: 1, as: UInt8.self)
            pointer.deallocate()
        }
    }

    @Test func aDecompressionBombIsNotFollowed() async {
        await #expect(processExitsWith: .success) {
            let gigabytes = 2 << 30
            // The stream inflates to 2 GiB; the value declares each of these lengths.
            for declared in [0, 1, 1000, 64 << 10, 64 << 10 + 1, 1 << 20, 1 << 31, .max - 1, .max] as [UInt32] {
                let bomb = Bomb.stored(declaring: declared, yielding: gigabytes)
                // A length that deflate can't produce from so many bytes is damage, whatever the limit is.
                let isPossible = declared < .max && Int(declared) / 1032 <= bomb.count
                let code: StoreError.Code = declared > 64 << 10 && isPossible ? .tooLarge : .corruption
                try Self.expect(code, fromGettingCompressed: bomb, margin: Self.margin + 3 * bomb.count)
            }
        }
    }

    @Test func aLengthThatDeflateCannotYieldIsNotAllocated() async {
        await #expect(processExitsWith: .success) {
            for declared in [64 << 20, 1 << 30, 2_147_348_480] as [UInt32] {
                try Self.expect(
                    .corruption, fromGettingCompressed: Bomb.stored(declaring: declared, yielding: 5000),
                    maximumValueBytes: 2_147_348_480, margin: Self.margin)
            }
        }
    }

    @Test func giantLengthsInCommitHeadersAllocateNothing() async {
        await #expect(processExitsWith: .success) {
            for bodyLength in lengths(file: 256 << 10) {
                for recordCount in [0, 1, 2, 1 << 20, 1 << 31, .max] as [UInt32] {
                    var log = HostileLog()
                    log.size = 256 << 10
                    log.commit(bodyLength: bodyLength, recordCount: recordCount) { offset in
                        HostileLog.record(keyLength: 1, valueLength: 0, payload: [65] + zeros(7), at: offset)
                    }
                    try Self.open([(1, log)])
                }
            }
        }
    }

    /// A file of a terabyte, nearly all a hole, with one commit that claims to fill it with four billion records.
    @Test func aGiantCommitInAGiantFileAllocatesNothing() async {
        await #expect(processExitsWith: .success) {
            let size: UInt64 = 1 << 40
            var first = HostileLog()
            first.size = size
            first.commit(bodyLength: size - 4144, recordCount: .max) { offset in
                HostileLog.record(keyLength: 1, valueLength: 0, payload: [65] + zeros(7), at: offset)
            }
            let predecessor = FileHeader.Predecessor(salt: HostileLog.salt, lastSequence: 1, endOffset: size)
            let second = HostileLog(firstSequence: 2, predecessor: predecessor, salt: 7)
            try Self.open([(1, first), (2, second)])
        }
    }

    @Test func giantLengthsInRecordHeadersAllocateNothing() async {
        await #expect(processExitsWith: .success) {
            for bodyLength in [40, 4096, 256 << 10 - 8192] as [UInt64] {
                for valueLength in lengths(file: 256 << 10).map({ UInt32(truncatingIfNeeded: $0) }) {
                    for keyLength in [0, 1, 65_535] as [UInt16] {
                        var log = HostileLog()
                        log.size = 256 << 10
                        log.commit(bodyLength: bodyLength) { offset in
                            HostileLog.record(keyLength: keyLength, valueLength: valueLength, at: offset)
                        }
                        try Self.open([(1, log)])
                    }
                }
            }
        }
    }

    /// The value is verified in pieces, and not kept.
    @Test func anOpeningDoesNotKeepAGiantValue() async {
        await #expect(processExitsWith: .success) {
            let length = 256 << 20
            var log = HostileLog()
            log.size = UInt64(length) + 8192
            let checksum = CRC32C.checksum([65])
            log.commit(bodyLength: UInt64(length) + 40) { offset in
                HostileLog.record(
                    keyLength: 1, valueLength: UInt32(length), payload: [65],
                    checksum: CRC32C.checksum(zeros: UInt64(length + 7), continuing: checksum), at: offset)
            }
            try Self.open([(1, log)], records: 1)
        }
    }

    @Test func giantFieldsInFileHeadersAllocateNothing() async {
        await #expect(processExitsWith: .success) {
            for end in lengths(file: 256 << 10) + [4096, 4104] {
                for last in [1, 1 << 62, 1 << 63 - 2] as [UInt64] {
                    let predecessor = FileHeader.Predecessor(
                        salt: HostileLog.salt, lastSequence: last, endOffset: end)
                    var first = HostileLog()
                    first.size = 256 << 10
                    var second = HostileLog(firstSequence: last + 1, predecessor: predecessor, salt: 7)
                    second.size = 1 << 62
                    try Self.open([(1, first), (last + 1, second)])
                }
            }
        }
    }

    /// An opening with little memory yields a store with this many records, or else may only fail with corruption.
    private static func open(_ segments: [(first: UInt64, log: HostileLog)], records: UInt64? = nil) throws {
        let configuration = OpeningOutcome.configuration(try HostileLog.fileSystem(segments))
        try limitMemory(to: margin)
        do throws(StoreError) {
            let store = try Store(openingAt: "/store", configuration: configuration)
            precondition(records == nil || store.recoveryReport.records == records, "\(store.recoveryReport)")
        } catch {
            precondition(records == nil && error.code == .corruption, "\(error)")
        }
    }

    private static func expect(
        _ code: StoreError.Code, fromGettingCompressed stored: [UInt8], maximumValueBytes: Int = 64 << 10, margin: Int
    ) throws {
        var log = HostileLog()
        let payload = Array("key".utf8) + stored
        let padded = payload + [UInt8](repeating: 0, count: (8 - payload.count % 8) % 8)
        log.commit { offset in
            HostileLog.record(
                flags: 2, keyLength: 3, valueLength: UInt32(stored.count), payload: padded, at: offset)
        }
        var configuration = OpeningOutcome.configuration(try HostileLog.fileSystem([(1, log)]))
        configuration.maximumValueBytes = maximumValueBytes
        try limitMemory(to: margin)
        let store = try Store(openingAt: "/store", configuration: configuration)
        do {
            _ = try store.get("key")
            preconditionFailure("a bomb was read")
        } catch {
            precondition(error.code == code, "\(error)")
        }
    }
}

/// Lengths at limits.
private func lengths(file: UInt64) -> [UInt64] {
    [
        0, 1, 8, 32, 40, 48, file - 4144, file, file + 8, 1 << 31 - 8, 2_147_479_552, 1 << 32 - 1, 1 << 32, 1 << 62,
        1 << 63, .max - 4095, .max - 7, .max,
    ]
}

private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
#endif
