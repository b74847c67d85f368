import HeartwoodCampaignSupport
import HeartwoodFileSystem
import Synchronization

/// A part of one file is missing until the file's size was asked for more than `sizes` times.
final class LateFileSystem: ForwardingFileSystem {
    let base: any FileSystem
    private let path: String
    private let late: Range<Int>
    private let sizes: Int
    private let early = Atomic<Bool>(false)

    init(_ base: InMemoryFileSystem, path: String, late: Range<Int>, sizes: Int) {
        self.base = base
        self.path = path
        self.late = late
        self.sizes = sizes
    }

    /// Whether the part was read while it was missing.
    var wasEarly: Bool { early.load(ordering: .relaxed) }

    func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        let file = try base.openFile(path, for: access)
        return path == self.path ? LateFile(file, self) : file
    }

    private final class LateFile: ForwardingFile {
        let base: any File
        private let fileSystem: LateFileSystem
        private let asked = Atomic<Int>(0)

        init(_ base: any File, _ fileSystem: LateFileSystem) {
            self.base = base
            self.fileSystem = fileSystem
        }

        func size() throws(FileSystemError) -> UInt64 {
            asked.add(1, ordering: .relaxed)
            return try base.size()
        }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
            let count = try base.read(into: buffer, at: offset)
            guard asked.load(ordering: .relaxed) <= fileSystem.sizes else { return count }
            for index in 0..<count where fileSystem.late.contains(Int(offset) + index) {
                fileSystem.early.store(true, ordering: .relaxed)
                // Its header exists already.
                if Int(offset) + index >= fileSystem.late.lowerBound + 48 { buffer[index] = 0 }
            }
            return count
        }
    }
}
