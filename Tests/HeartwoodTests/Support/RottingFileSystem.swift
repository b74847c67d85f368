import HeartwoodCampaignSupport
import HeartwoodFileSystem

/// A file system that silently flips a bit of the data written to a file.
final class RottingFileSystem: ForwardingFileSystem {
    let base: any FileSystem
    private let rots: @Sendable (String) -> Int?

    /// - Parameter rots: The offset at which a file of this path is changed; nil for no change.
    init(_ base: any FileSystem, _ rots: @escaping @Sendable (String) -> Int?) {
        self.base = base
        self.rots = rots
    }

    func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        let file = try base.openFile(path, for: access)
        guard let offset = rots(path) else { return file }
        return RottingFile(file, offset)
    }
}

private final class RottingFile: ForwardingFile {
    let base: any File
    private let offset: UInt64

    init(_ base: any File, _ offset: Int) {
        self.base = base
        self.offset = UInt64(offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at start: UInt64) throws(FileSystemError) -> Int {
        guard (start..<start + UInt64(bytes.count)).contains(offset) else { return try base.write(bytes, at: start) }
        var changed = [UInt8](bytes)
        changed[Int(offset - start)] ^= 4
        return try changed.withUnsafeBytes { bytes in
            Result { () throws(FileSystemError) in try base.write(bytes, at: start) }
        }.get()
    }
}
