internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Disk space that is kept for removals and for compaction, so that a store on a full disk can be emptied: three files in
/// its directory, 160 KiB together.
///
/// Each becomes what it is for by a rename, so that no other program can take its space first, and none needs another
/// inode. Used by the log writer's thread; compaction takes the snapshot's file itself.
struct Reserve {
    /// One file of the reserve, by its name.
    enum Piece: String, CaseIterable {
        /// Becomes a segment of the log, for the header and the mark of a compaction's first segment.
        case segment = "reserve-segment.tmp"
        /// Becomes a snapshot.
        case snapshot = "reserve-snapshot.tmp"
        /// Becomes a segment of the log that takes removals alone.
        case removals = "reserve-removals.tmp"

        /// The size of the file. That for removals fits the longest key.
        var bytes: UInt64 { self == .removals ? 128 << 10 : 16 << 10 }
        /// The least that the file is of use with.
        fileprivate var leastBytes: UInt64 { 16 << 10 }

        func path(in directory: String) -> String { directory + "/" + rawValue }
    }

    let directory: String
    let fileSystem: any FileSystem
    /// The sizes of the files that this opening has allocated or found allocated.
    private var sizes: [Piece: UInt64] = [:]

    init(_ directory: String, in fileSystem: any FileSystem) {
        self.directory = directory
        self.fileSystem = fileSystem
    }

    /// Whether all of it is there. The snapshot's file is not missed while a compaction may be using it.
    func isWhole(isCompacting: Bool) -> Bool { missing(isCompacting).isEmpty }

    private func missing(_ isCompacting: Bool) -> [Piece] {
        Piece.allCases.filter { sizes[$0] != $0.bytes && !(isCompacting && $0 == .snapshot) }
    }

    /// Compaction takes the snapshot's file.
    mutating func noteCompaction() { sizes[.snapshot] = nil }

    /// Makes what is missing, as much of it as the disk has space for.
    ///
    /// - Throws: ``FileSystemError``, out of space where it isn't whole afterwards.
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
                // Some file systems keep the part of a refused allocation that they had room for.
                if before < size { try? file.truncate(to: before) }
                guard error.isOutOfSpace, size > piece.leastBytes else { throw error }
                size -= 16 << 10
            }
        }
        if size < piece.bytes {
            throw FileSystemError(operation: .allocate, path: file.path, code: ErrorNumber.ENOSPC)
        }
    }

    /// Opens a file of the reserve; nil where it doesn't exist.
    private func open(_ piece: Piece) throws(FileSystemError) -> (any File)? {
        do throws(FileSystemError) {
            return try fileSystem.openFile(piece.path(in: directory), for: .readWrite)
        } catch {
            guard error.isNotFound else { throw error }
            return nil
        }
    }

    /// Takes a file out of the reserve, of zeros, to be a segment with room for a commit of `need` bytes.
    ///
    /// - Returns: Nil where there is none, or it is too small.
    mutating func take(_ piece: Piece, need: UInt64) throws(FileSystemError) -> LogWriter.Spare? {
        guard let file = try open(piece) else { return nil }
        let header = UInt64(FormatConstants.fileHeaderSize)
        do throws(FileSystemError) {
            let size = try file.size()
            let room = RoomPlan(reserved: min(size, piece.bytes))
            guard room.allocatedEnd >= piece.leastBytes, room.hasRoomForRemoval(to: header + need) else {
                try file.close()
                return nil
            }
            // A file that was copied, or written to, has its size and not its blocks, or other bytes than zeros.
            if size > piece.bytes { try file.truncate(to: piece.bytes) }
            try file.allocateFully(room.allocatedEnd, at: 0)
            try file.zero(from: 0, count: room.allocatedEnd)
            sizes[piece] = nil
            return LogWriter.Spare(file: file, path: file.path, room: room)
        } catch {
            try? file.close()
            throw error
        }
    }

    /// Gives the space of a file back to the disk.
    mutating func release(_ piece: Piece) throws(FileSystemError) {
        sizes[piece] = nil
        try fileSystem.remove(piece.path(in: directory))
    }
}
