internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// One log segment that is open: what a reader needs to find a record in it. Never changes.
final class Segment: Sendable {
    /// Its position among the segments of this opening; part of every place in the index.
    let ordinal: UInt32
    let header: FileHeader
    let file: any File
    /// The path that it has, or will have once it is renamed.
    let path: String

    init(ordinal: UInt32, header: FileHeader, file: any File, path: String) {
        self.ordinal = ordinal
        self.header = header
        self.file = file
        self.path = path
    }
}

/// The segments of an opening, by ordinal.
final class SegmentTable: Sendable {
    private let segments = Locked<[Segment]>([])

    var count: Int { segments.withLock { $0.count } }

    /// The segment of a place. A place with an ordinal that was never given out can't be.
    func segment(_ ordinal: UInt32) -> Segment { segments.withLock { $0[Int(ordinal)] } }

    var all: [Segment] { segments.withLock { $0 } }

    /// Adds a segment under the next ordinal.
    func add(_ header: FileHeader, file: any File, path: String) -> Segment {
        segments.withLock { list in
            let segment = Segment(ordinal: UInt32(list.count), header: header, file: file, path: path)
            list.append(segment)
            return segment
        }
    }

    /// Closes every file; the first error, after all were tried.
    func closeAll() throws(FileSystemError) {
        var failure: FileSystemError?
        for segment in all {
            do throws(FileSystemError) { try segment.file.close() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}

extension FileSystemError {
    /// The same error with the segment's present path: a file keeps the one under which it was opened.
    func naming(_ segment: Segment) -> FileSystemError {
        var error = self
        error.path = segment.path
        return error
    }
}
