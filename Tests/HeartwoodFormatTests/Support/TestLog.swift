import HeartwoodFormat

/// Writes a log segment byte by byte from `Documentation/FileFormat.md`, without the library's encoders: a mistake in
/// them can't hide one in the decoders.
struct TestLog {
    struct Operation {
        var kind: UInt8 = 1
        var flags: UInt8 = 0
        var key: [UInt8]
        var value: [UInt8] = []
        var expiry: UInt64 = 0
    }

    /// A commit or a mark, as it was written.
    struct Item {
        var offset: Int
        var end: Int
        var syncedMark: UInt64
        var firstSequence: UInt64
        var nextSequence: UInt64
        /// Where the zeros in front of it begin; `offset` if there are none.
        var gapStart: Int
        var records: [Record] = []
        var isMark: Bool { records.isEmpty }
        var isClosing = false
    }

    struct Record: Equatable {
        var offset: Int
        var end: Int
        var key: [UInt8]
        var kind: UInt8
        var sequence: UInt64
        var expiry: UInt64
    }

    private(set) var bytes: [UInt8]
    private(set) var items: [Item] = []
    let version: UInt16
    let salt: UInt32
    let firstSequence: UInt64
    private(set) var nextSequence: UInt64
    private var synced: UInt64 = 4096
    private var time: UInt64 = 1_700_000_000_000

    init(version: UInt16 = 3, salt: UInt32 = 0x5A17_C0DE, firstSequence: UInt64 = 1) {
        self.version = version
        self.salt = salt
        self.firstSequence = firstSequence
        nextSequence = firstSequence
        bytes = Self.fileHeader(version: version, salt: salt, firstSequence: firstSequence)
    }

    /// The file header, as the scanner takes it.
    var header: FileHeader {
        FileHeader(
            kind: .log, version: version, storeID: StoreID(low: 0x0706_0504_0302_0100, high: 0x0F0E_0D0C_0B0A_0908),
            salt: salt, firstSequence: firstSequence, predecessor: nil, creationTime: 1_700_000_000_000)
    }

    static func fileHeader(version: UInt16, salt: UInt32, firstSequence: UInt64) -> [UInt8] {
        var bytes: [UInt8] = [0x48, 0x57, 0x4F, 0x4F, 0x44, 0x0D, 0x0A, 0x1A]
        bytes.append(number: version)
        bytes += [1, 0]
        bytes.append(number: salt)
        bytes += Array(0...15)
        bytes.append(number: firstSequence)
        bytes += [UInt8](repeating: 0, count: 24)
        bytes.append(number: 1_700_000_000_000 as UInt64)
        bytes += [UInt8](repeating: 0, count: 4092 - bytes.count)
        bytes.append(number: CRC32C.checksum(bytes))
        return bytes
    }

    /// Appends a commit of these batches. Its synced mark covers everything up to the last `sync()`.
    mutating func commit(_ batches: [[Operation]], recordCount: UInt32? = nil) {
        let offset = bytes.count
        let first = nextSequence
        var body: [UInt8] = []
        var records: [Record] = []
        for batch in batches {
            for (position, operation) in batch.enumerated() {
                let at = offset + 48 + body.count
                body += Self.record(
                    operation, continues: position < batch.count - 1, continued: version == 3 && position > 0,
                    distance: nextSequence - firstSequence, salt: salt, at: at)
                records.append(
                    Record(
                        offset: at, end: offset + 48 + body.count, key: operation.key, kind: operation.kind,
                        sequence: nextSequence, expiry: operation.expiry))
            }
            nextSequence += 1
        }
        time += 7
        bytes += Self.commitHeader(
            flags: 0, bodyLength: UInt64(body.count), firstSequence: first, syncedMark: synced, time: time,
            recordCount: recordCount ?? UInt32(records.count), salt: salt, at: offset)
        bytes += body
        items.append(
            Item(
                offset: offset, end: bytes.count, syncedMark: synced, firstSequence: first,
                nextSequence: nextSequence, gapStart: offset, records: records))
    }

    /// Later commits say that everything written so far is durable.
    mutating func sync() { synced = UInt64(bytes.count) }

    /// Appends zeros up to the next boundary and a mark there.
    mutating func mark(closing: Bool = false) {
        let gapStart = bytes.count
        while bytes.count % 4096 != 0 { bytes.append(0) }
        synced = UInt64(bytes.count)
        time += 7
        let offset = bytes.count
        bytes += Self.commitHeader(
            flags: closing ? 3 : 1, bodyLength: 0, firstSequence: nextSequence, syncedMark: synced, time: time,
            recordCount: 0, salt: salt, at: offset)
        items.append(
            Item(
                offset: offset, end: bytes.count, syncedMark: synced, firstSequence: nextSequence,
                nextSequence: nextSequence, gapStart: gapStart, isClosing: closing))
        synced = UInt64(bytes.count)
    }

    /// Appends preallocated space.
    mutating func preallocate(_ count: Int) { bytes += [UInt8](repeating: 0, count: count) }

    static func commitHeader(
        flags: UInt32, bodyLength: UInt64, firstSequence: UInt64, syncedMark: UInt64, time: UInt64,
        recordCount: UInt32, salt: UInt32, at offset: Int
    ) -> [UInt8] {
        var bytes = Array("HWCM".utf8)
        bytes.append(number: flags)
        bytes.append(number: bodyLength)
        bytes.append(number: firstSequence)
        bytes.append(number: syncedMark)
        bytes.append(number: time)
        bytes.append(number: recordCount)
        bytes.append(number: CRC32C.checksum(bytes) ^ salt ^ UInt32(truncatingIfNeeded: offset / 8))
        return bytes
    }

    static func record(
        _ operation: Operation, continues: Bool, continued: Bool, distance: UInt64, salt: UInt32, at offset: Int
    ) -> [UInt8] {
        let tag = salt ^ UInt32(truncatingIfNeeded: offset / 8)
        var payload = operation.key + operation.value
        while payload.count % 8 != 0 { payload.append(0) }
        var header: [UInt8] = [operation.kind, operation.flags | (continues ? 1 : 0) | (continued ? 4 : 0)]
        header.append(number: UInt16(operation.key.count))
        header.append(number: UInt32(operation.value.count))
        header.append(number: distance)
        header.append(number: operation.expiry)
        header.append(number: CRC32C.checksum(payload) ^ tag)
        header.append(number: CRC32C.checksum(header) ^ tag)
        return header + payload
    }

    /// Corrects the checksum of the commit header at `offset`.
    static func repairCommit(_ bytes: inout [UInt8], at offset: Int, salt: UInt32) {
        repair(&bytes, from: offset, count: 44, at: offset, salt: salt)
    }

    /// Corrects the header checksum of the record at `offset`.
    static func repairRecord(_ bytes: inout [UInt8], at offset: Int, salt: UInt32) {
        repair(&bytes, from: offset, count: 28, at: offset, salt: salt)
    }

    private static func repair(_ bytes: inout [UInt8], from start: Int, count: Int, at offset: Int, salt: UInt32) {
        let crc = bytes.withUnsafeBytes {
            CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[start..<(start + count)]))
        }
        bytes.replace(number: crc ^ salt ^ UInt32(truncatingIfNeeded: offset / 8), at: start + count)
    }
}

extension Array<UInt8> {
    /// Appends a number, lowest byte first.
    mutating func append<T: FixedWidthInteger>(number: T) {
        for byte in 0..<(T.bitWidth / 8) { append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
    }

    /// Overwrites bytes with a number, lowest byte first.
    mutating func replace<T: FixedWidthInteger>(number: T, at offset: Int) {
        for byte in 0..<(T.bitWidth / 8) { self[offset + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte)) }
    }
}
