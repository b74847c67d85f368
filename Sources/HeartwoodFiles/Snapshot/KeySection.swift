package import HeartwoodFileSystem
package import HeartwoodFormat

/// Reads the key section of a snapshot, block by block, and verifies it: checksums, key order, and that its records
/// exactly fill the records part of the file.
package struct KeySection {
    package let snapshot: SnapshotFile
    private var window: FileWindow
    private var position: UInt64
    /// Where the rest of the block at `position` starts, if a part of it was read.
    private var cursor: KeyBatch.Cursor?
    /// Where the next record must begin.
    private var nextRecord = UInt64(FormatConstants.fileHeaderSize)
    private var lastKey: [UInt8] = []
    private var records: UInt64 = 0
    private var blocks: UInt64 = 0
    private var keyBytes: UInt64 = 0
    private var expiring: UInt64 = 0

    package init(of snapshot: SnapshotFile) throws(FileSystemError) {
        self.snapshot = snapshot
        position = snapshot.footer.keySectionOffset
        window = try FileWindow(snapshot.file)
    }

    /// As above, with a `StoreError`.
    package init(_ snapshot: SnapshotFile) throws(StoreError) {
        do throws(FileSystemError) {
            try self.init(of: snapshot)
        } catch {
            throw StoreError(error, "a snapshot could not be read")
        }
    }

    /// Bytes of the section that are read so far.
    package var bytesRead: UInt64 { position - snapshot.footer.keySectionOffset }

    /// Adds the entries of the next block to a batch, or a part of a block with very many key bytes; false at the end.
    package mutating func read(_ batch: KeyBatch) throws(FileSystemError) -> Result<Bool, SnapshotFile.Damage> {
        guard position < snapshot.footerOffset else { return finish() }
        let (block, before) = (position, (batch.count, batch.byteCount, batch.expiringCount))
        switch try readBlock(batch).flatMap({ checkOrder(batch, from: before.0) }) {
        case .failure(let error): return .failure(damage(error, at: block))
        case .success: break
        }
        keyBytes += UInt64(batch.byteCount - before.1)
        expiring += UInt64(batch.expiringCount - before.2)
        return .success(true)
    }

    /// As `read(_:)`, but throws for damage.
    ///
    /// - Throws: `.corruption`, `.unsupportedFormat`, `.inputOutput`.
    package mutating func next(_ batch: KeyBatch) throws(StoreError) -> Bool {
        let outcome: Result<Bool, SnapshotFile.Damage>
        do throws(FileSystemError) {
            outcome = try read(batch)
        } catch {
            throw StoreError(error, "a snapshot could not be read")
        }
        switch outcome {
        case .success(let isThere): return isThere
        case .failure(let damage): throw StoreError(damage, snapshot.path)
        }
    }

    private mutating func readBlock(_ batch: KeyBatch) throws(FileSystemError) -> Result<Void, FormatError> {
        let (start, salt, limit) = (position, snapshot.header.salt, snapshot.footer.keySectionOffset)
        let read = try window.withBytes(at: start, count: KeyBlock.headerSize) { bytes in
            Result { () throws(FormatError) in
                try KeyBlock.decodeHeader(bytes, salt: salt, offset: start)
            }
        }
        guard case .success(let header) = read else { return read.map { _ in } }
        let body = start + UInt64(KeyBlock.headerSize)
        guard body + UInt64(header.length) <= snapshot.footerOffset else { return .failure(.truncated) }
        guard cursor != nil || header.firstRecordOffset == nextRecord else {
            return .failure(.invalidField(.blockLength))
        }
        let part = cursor
        let decoded = try window.withBytes(at: body, count: header.length) { bytes in
            Result { () throws(FormatError) in
                try batch.decode(bytes, header, limit: limit, from: part)
            }
        }
        return decoded.map { rest in
            cursor = rest
            guard rest == nil else { return }
            position = body + UInt64(header.length)
            blocks += 1
        }
    }

    private mutating func checkOrder(_ batch: KeyBatch, from first: Int) -> Result<Void, FormatError> {
        if records > 0, !lastKey.withUnsafeBytes({ $0.precedes(batch.key(first)) }) {
            return .failure(.invalidField(.keyOrder))
        }
        let last = batch.entry(batch.count - 1)
        lastKey.removeAll(keepingCapacity: true)
        lastKey.append(contentsOf: batch.key(batch.count - 1))
        nextRecord = last.offset + UInt64(last.length)
        records += UInt64(batch.count - first)
        return .success(())
    }

    private func finish() -> Result<Bool, SnapshotFile.Damage> {
        let footer = snapshot.footer
        let isWhole =
            position == snapshot.footerOffset && records == footer.recordCount && blocks == footer.blockCount
            && nextRecord == footer.keySectionOffset && keyBytes == footer.keyBytes && expiring == footer.expiringCount
        return isWhole ? .success(false) : .failure(damage(.invalidField(.snapshotLength), at: snapshot.footerOffset))
    }

    private func damage(_ error: FormatError, at offset: UInt64) -> SnapshotFile.Damage {
        SnapshotFile.Damage(offset: offset, what: "the keys of a snapshot are damaged", cause: error)
    }
}
