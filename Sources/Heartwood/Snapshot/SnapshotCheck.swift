internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// Reads a whole snapshot back and verifies every checksum, and that records and key section agree.
struct SnapshotCheck {
    let snapshot: SnapshotFile
    private var section: KeySection
    private var window: FileWindow

    init(_ snapshot: SnapshotFile) throws(StoreError) {
        self.snapshot = snapshot
        section = try KeySection(snapshot)
        do throws(FileSystemError) {
            window = try FileWindow(snapshot.file)
        } catch {
            throw StoreError(error, "a snapshot could not be read")
        }
    }

    /// Reads everything. O(bytes).
    ///
    /// - Parameter shouldContinue: Called with the number of records so far; false stops the check.
    /// - Returns: Whether the check reached the end.
    /// - Throws: `.corruption`, `.inputOutput`.
    mutating func run(_ shouldContinue: (Int) -> Bool) throws(StoreError) -> Bool {
        let batch = KeyBatch()
        var records = 0
        while true {
            batch.removeAll()
            guard try section.next(batch) else { return true }
            for index in 0..<batch.count { try check(batch.entry(index), batch.key(index)) }
            records += batch.count
            guard shouldContinue(records) else { return false }
        }
    }

    private mutating func check(_ entry: KeyBatch.Entry, _ key: UnsafeRawBufferPointer) throws(StoreError) {
        let outcome: FormatError?
        do throws(FileSystemError) {
            outcome = try damage(of: entry, key)
        } catch {
            throw StoreError(error, "a snapshot could not be read")
        }
        guard let outcome else { return }
        throw .corruption(
            "a record of a snapshot is not what was written", file: snapshot.path, offset: entry.offset,
            cause: outcome)
    }

    /// What is wrong with a record; nil if it is sound.
    private mutating func damage(
        of entry: KeyBatch.Entry, _ key: UnsafeRawBufferPointer
    ) throws(FileSystemError) -> FormatError? {
        let (salt, offset, length) = (snapshot.header.salt, entry.offset, entry.length)
        let flags = snapshot.header.recordFlags
        let look = min(length, Self.pieceBytes)
        var header: RecordHeader?
        var crc: UInt32 = 0
        let failure = try window.withBytes(at: offset, count: look) { bytes -> FormatError? in
            do throws(FormatError) {
                let found = try RecordHeader.decode(bytes, salt: salt, offset: offset, flags: flags)
                guard found.encodedLength == length, bytes.count == look else { throw .truncated }
                guard found.isValue(expiring: entry.expiry) else { throw .invalidField(.expiry) }
                let size = FormatConstants.recordHeaderSize
                guard bytes.slice(size, min(look - size, Int(found.keyLength))).isEqual(to: key) else {
                    throw .invalidField(.keyLength)
                }
                guard found.canBeInSnapshot(upTo: snapshot.end.lastSequence) else { throw .invalidField(.sequence) }
                crc = CRC32C.checksum(bytes.slice(size, look - size))
                header = found
                return nil
            } catch {
                return error
            }
        }
        guard let header, failure == nil else { return failure ?? .truncated }
        var done = look
        while done < length {
            let piece = min(Self.pieceBytes, length - done)
            let read = try window.withBytes(at: offset + UInt64(done), count: piece) { bytes in
                crc = CRC32C.checksum(bytes, continuing: crc)
                return bytes.count
            }
            guard read == piece else { return .truncated }
            done += piece
        }
        return crc == header.payloadChecksum ? nil : .checksumMismatch
    }

    private static var pieceBytes: Int { 256 << 10 }
}
