internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Disk space that is kept for removals and for compaction, so that a store on a full disk can be emptied: three files
/// in its directory, 160 KiB together.
///
/// Each file is put to use by a rename, so that no other program can take its space first and no new inode is needed.
/// The log writer's thread uses the reserve; compaction takes the snapshot's file directly.
struct Reserve {
    /// A file of the reserve, by its name.
    enum Piece: String, CaseIterable {
        /// Becomes a log segment, for the header and the sync mark of the first segment after a compaction boundary.
        case segment = "reserve-segment.tmp"
        /// Becomes a snapshot.
        case snapshot = "reserve-snapshot.tmp"
        /// Becomes a log segment that takes only removals.
        case removals = "reserve-removals.tmp"

        /// The size of the file. The one for removals has space for the longest key.
        var bytes: UInt64 { self == .removals ? 128 << 10 : 16 << 10 }
        /// The smallest size at which the file is useful.
        fileprivate var leastBytes: UInt64 { 16 << 10 }

        func path(in directory: String) -> String { directory + "/" + rawValue }
    }

    /// The length of the largest batch of removals that a whole reserve takes.
    static var largestRemoval: Int {
        Int(Piece.removals.bytes - PreallocationPlan.reserve) - FormatConstants.fileHeaderSize
            - FormatConstants.commitHeaderSize
    }

    let directory: String
    let fileSystem: any FileSystem
    /// The sizes of the files that this opening has allocated, or found allocated.
    private var sizes: [Piece: UInt64] = [:]

    init(_ directory: String, in fileSystem: any FileSystem) {
        self.directory = directory
        self.fileSystem = fileSystem
    }

    /// Whether the reserve is complete. During a compaction, which may be using the snapshot's file, that file doesn't
    /// count.
    func isWhole(isCompacting: Bool) -> Bool { missing(isCompacting).isEmpty }

    private func missing(_ isCompacting: Bool) -> [Piece] {
        Piece.allCases.filter { sizes[$0] != $0.bytes && !(isCompacting && $0 == .snapshot) }
    }

    /// Notes that compaction takes the snapshot's file.
    mutating func noteCompaction() { sizes[.snapshot] = nil }

    /// Allocates what is missing, as far as the disk has space.
    ///
    /// - Throws: ``FileSystemError``; out of space if the reserve isn't complete afterwards.
    mutating func fill(isCompacting: Bool) throws(FileSystemError) {
        for piece in missing(isCompacting) { try fill(piece) }
    }

    private mutating func fill(_ piece: Piece) throws(FileSystemError) {
        let file: any File
        if let existing = try open(piece) {
            file = existing
        } else {
            file = try fileSystem.openFile(piece.path(in: directory), for: .create)
        }
        defer { try? file.close() }
        let before = try file.size()
        var size = piece.bytes
        while true {
            do throws(FileSystemError) {
                try file.allocateFully(size, at: 0)
                sizes[piece] = size
                break
            } catch {
                // Some file systems keep the part of a refused allocation that they had space for.
                if before < size { try? file.truncate(to: before) }
                guard error.isOutOfSpace, size > piece.leastBytes else { throw error }
                size -= 16 << 10
            }
        }
        if size < piece.bytes {
            throw FileSystemError(operation: .allocate, path: file.path, code: ErrorNumber.ENOSPC)
        }
    }

    private func open(_ piece: Piece) throws(FileSystemError) -> (any File)? {
        try Self.open(piece.path(in: directory), in: fileSystem)
    }

    /// Opens a file of the reserve; nil if it doesn't exist. What another user may have put there is removed.
    static func open(_ path: String, in fileSystem: any FileSystem) throws(FileSystemError) -> (any File)? {
        do throws(FileSystemError) {
            try fileSystem.checkTrust(in: path)
            return try fileSystem.openFile(path, for: .readWrite)
        } catch {
            if error.distrust != nil {
                try fileSystem.remove(path)
            } else if !error.isNotFound {
                throw error
            }
            return nil
        }
    }

    /// Takes a file out of the reserve, filled with zeros, as a segment with space for a commit of `need` bytes.
    ///
    /// - Returns: Nil if there is none, or it is too small.
    mutating func take(_ piece: Piece, need: UInt64) throws(FileSystemError) -> LogWriter.Spare? {
        guard let file = try open(piece) else { return nil }
        let header = UInt64(FormatConstants.fileHeaderSize)
        do throws(FileSystemError) {
            let size = try file.size()
            let space = PreallocationPlan(reserved: min(size, piece.bytes))
            guard space.allocatedEnd >= piece.leastBytes, space.hasSpaceForRemoval(to: header + need) else {
                try file.close()
                return nil
            }
            // A file that was copied or written to may have unallocated blocks, or bytes other than zeros.
            if size > piece.bytes { try file.truncate(to: piece.bytes) }
            try file.allocateFully(space.allocatedEnd, at: 0)
            try file.zero(from: 0, count: space.allocatedEnd)
            sizes[piece] = nil
            return LogWriter.Spare(file: file, path: file.path, space: space)
        } catch {
            try? file.close()
            throw error
        }
    }

    /// Frees the space of a file.
    mutating func release(_ piece: Piece) throws(FileSystemError) {
        sizes[piece] = nil
        try fileSystem.remove(piece.path(in: directory))
    }
}
