internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// What is the same for all files of a store when they are opened.
enum StoreFile {
    /// The bytes at an offset: fewer of a file that is shorter.
    static func bytes(
        of file: any File, at offset: UInt64, _ count: Int
    ) throws(FileSystemError) -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(FileSystemError) in try file.readFully(into: buffer, at: offset) }
        }.get()
        return bytes[..<read]
    }

    /// Opening a directory fails with words about the disk, and a pipe or a device may do anything.
    ///
    /// - Parameter name: "a log segment".
    static func checkIsFile(
        _ path: String, called name: String, in fileSystem: any FileSystem
    ) throws(StoreError) {
        let kind: FileKind?
        do throws(FileSystemError) {
            kind = try fileSystem.kind(of: path)
        } catch {
            throw StoreError(error, "\(name) could not be opened")
        }
        // Nothing there is a link that leads nowhere, which the opening reports.
        guard kind == .file || kind == nil else {
            let what = kind == .directory ? "a directory" : "a pipe, a socket or a device"
            throw .corruption("\(what) has the name of \(name)", file: path, offset: 0)
        }
    }
}
