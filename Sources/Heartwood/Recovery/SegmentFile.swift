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
        try Self.checkIsFile(path, in: fileSystem)
        do throws(FileSystemError) {
            file = try fileSystem.openFile(path, for: .readWrite)
            size = try file.size()
            start = try Self.start(of: file)
        } catch {
            throw StoreError(error, "a log segment could not be opened")
        }
        do throws(FormatError) {
            header = try lend(start) { (buffer) throws(FormatError) in try FileHeader.decode(buffer) }
        } catch {
            if case .unsupported = error { throw .unsupported(error, file: path, offset: 0) }
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

    /// The bytes that should be the header: fewer of a file that is shorter.
    private static func start(of file: any File) throws(FileSystemError) -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: FormatConstants.fileHeaderSize)
        let read = try bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(FileSystemError) in try file.readFully(into: buffer, at: 0) }
        }.get()
        return bytes[..<read]
    }

    /// Opening a directory fails with words about the disk, and a pipe or a device may do anything.
    private static func checkIsFile(_ path: String, in fileSystem: any FileSystem) throws(StoreError) {
        let kind: FileKind?
        do throws(FileSystemError) {
            kind = try fileSystem.kind(of: path)
        } catch {
            throw StoreError(error, "a log segment could not be opened")
        }
        // Nothing there is a link that leads nowhere, which the opening reports.
        guard kind == .file || kind == nil else {
            let what = kind == .directory ? "a directory" : "a pipe, a socket or a device"
            throw .corruption("\(what) has the name of a log segment", file: path, offset: 0)
        }
    }
}
