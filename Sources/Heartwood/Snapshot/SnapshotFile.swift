internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// A file named as a snapshot, opened, whose header fits its name and whose footer fits its size.
struct SnapshotFile {
    let path: String
    let file: any File
    let size: UInt64
    let header: FileHeader
    let footer: SnapshotFooter

    /// The end of the log that it covers.
    let end: FileHeader.Predecessor

    var footerOffset: UInt64 { size - UInt64(SnapshotFooter.encodedSize) }

    var description: SnapshotDescription {
        SnapshotDescription(
            file: path, sequence: end.lastSequence, time: Timestamp(milliseconds: header.creationTime),
            keys: Int(footer.recordCount), bytes: size)
    }

    init(_ path: String, sequence: SequenceNumber, in fileSystem: any FileSystem) throws(StoreError) {
        try StoreFile.checkIsFile(path, called: "a snapshot", in: fileSystem)
        self.path = path
        let start: ArraySlice<UInt8>
        let last: ArraySlice<UInt8>
        do throws(FileSystemError) {
            file = try fileSystem.openFile(path, for: .read)
            size = try file.size()
            start = try StoreFile.bytes(of: file, at: 0, FormatConstants.fileHeaderSize)
            let tail = UInt64(SnapshotFooter.encodedSize)
            last = try StoreFile.bytes(of: file, at: size - min(size, tail), SnapshotFooter.encodedSize)
        } catch {
            throw StoreError(error, "a snapshot could not be opened")
        }
        do throws(FormatError) {
            header = try lend(start) { (buffer) throws(FormatError) in try FileHeader.decode(buffer) }
        } catch {
            if case .unsupported = error { throw .unsupported(error, file: path, offset: 0) }
            throw .corruption("the header of a snapshot is damaged", file: path, offset: 0, cause: error)
        }
        guard header.kind == .snapshot, header.firstSequence == 1, let end = header.predecessor else {
            throw .corruption("a file named as a snapshot is none", file: path, offset: 0)
        }
        self.end = end
        guard end.lastSequence == sequence else {
            throw .corruption(
                "a snapshot is misplaced: its header says that it holds everything up to number \(end.lastSequence), so its name should be \(StoreFileName.snapshot(end.lastSequence)); it was renamed, swapped or copied",
                file: path, offset: 0)
        }
        let (size, header) = (size, header)
        let offset = size - min(size, UInt64(SnapshotFooter.encodedSize))
        do throws(FormatError) {
            footer = try lend(last) { (buffer) throws(FormatError) in
                try SnapshotFooter.decode(buffer, salt: header.salt, offset: offset)
            }
        } catch {
            if case .unsupported = error { throw .unsupported(error, file: path, offset: offset) }
            throw .corruption(
                "a snapshot is damaged at its end, or was cut short", file: path, offset: offset, cause: error)
        }
    }
}
