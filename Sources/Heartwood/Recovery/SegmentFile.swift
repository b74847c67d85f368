internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// A file named as a log segment, opened, whose header fits its name.
struct SegmentFile {
    let path: String
    let file: any File
    let size: UInt64
    let header: FileHeader

    init(_ path: String, firstSequence: SequenceNumber, in fileSystem: any FileSystem) throws(StoreError) {
        self.path = path
        let start: ArraySlice<UInt8>
        try StoreFile.checkIsFile(path, called: "a log segment", in: fileSystem)
        do throws(FileSystemError) {
            file = try fileSystem.openFile(path, for: .readWrite)
            size = try file.size()
            start = try StoreFile.bytes(of: file, at: 0, FormatConstants.fileHeaderSize)
        } catch {
            throw StoreError(error, "a log segment could not be opened")
        }
        do throws(FormatError) {
            header = try lend(start) { (buffer) throws(FormatError) in try FileHeader.decode(buffer) }
        } catch {
            if case .unsupported = error { throw .unsupported(error, file: path, offset: 0) }
            if start.withUnsafeBytes(RepairGuard.begins) {
                throw StoreError(.corruption, RepairGuard.message, file: path, offset: 0)
            }
            throw .corruption("the header of a log segment is damaged", file: path, offset: 0, cause: error)
        }
        guard header.kind == .log else {
            throw .corruption("a file named as a log segment is none", file: path, offset: 0)
        }
        guard header.firstSequence == firstSequence else {
            throw .corruption(
                "a log segment is misplaced: its header names number \(header.firstSequence) as its first, so its name should be \(StoreFileName.log(header.firstSequence)); it was renamed, swapped or copied",
                file: path, offset: 0)
        }
    }
}
