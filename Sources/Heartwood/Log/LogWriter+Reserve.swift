internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// A full disk: how the reserve is used and filled.
extension LogWriter {
    private var isCompacting: Bool { log.compaction.isRunning }

    /// Whether batches that put may be given space.
    var isReserveWhole: Bool { reserve.isWhole(isCompacting: isCompacting) }

    /// Allocates what is missing of the reserve.
    mutating func fillReserve() throws(FileSystemError) { try reserve.fill(isCompacting: isCompacting) }

    /// Serves removals and compaction after an allocation failed because the disk is full: first with the space that
    /// the disk still has, then with the reserve.
    ///
    /// - Returns: Whether a rotation follows; nil if none of them was served.
    mutating func provideFromReserve(_ demands: LogSpace.Demands, rotates: Bool, after error: FileSystemError) -> Bool?
    {
        guard error.isOutOfSpace, demands.hasRemovals || demands.boundary else { return nil }
        return (demands.hasRemovals ? provideForRemoval(demands, rotates: rotates) : nil)
            ?? (demands.boundary && rotates ? provideForBoundary() : nil)
    }

    private mutating func provideForRemoval(_ demands: LogSpace.Demands, rotates: Bool) -> Bool? {
        let removal = self.demands(of: demands.leastRemoval, removesOnly: true, like: demands)
        trimPredecessor()
        if (try? provide(removal, rotates: rotates)) != nil { return rotates }
        if log.withState({ $0.commits.holdsNothing }) {
            // A segment without records can't be followed by another. So this frees the file and uses its space.
            guard let need = removal.space, (try? reserve.release(.removals)) != nil,
                (try? preallocate(need: need, isOpen: false)) != nil
            else { return nil }
            return false
        }
        return useReserve(.removals, need: UInt64(demands.leastRemoval + FormatConstants.commitHeaderSize))
    }

    private mutating func provideForBoundary() -> Bool? {
        var boundary = LogSpace.Demands()
        boundary.boundary = true
        boundary.isSparing = true
        trimPredecessor()
        if (try? provide(boundary, rotates: true)) != nil { return true }
        return useReserve(.segment, need: 0) ?? useReserve(.removals, need: 0)
    }

    private mutating func useReserve(_ piece: Reserve.Piece, need: UInt64) -> Bool? {
        guard let taken = try? reserve.take(piece, need: need) else { return nil }
        discardSpare()
        spare = taken
        return true
    }

    /// Renames a file in the store's directory. On a full disk the directory may have no block for the new name. Then a
    /// file of the reserve is released, because accepted writes already wait for the renamed file.
    mutating func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        let fileSystem = log.configuration.fileSystem
        // The renamed file may itself belong to the reserve.
        var pieces = [Reserve.Piece.removals, .segment].filter { $0.path(in: log.directory) != path }
        while true {
            do throws(FileSystemError) {
                return try fileSystem.rename(path, to: newPath)
            } catch {
                guard error.isOutOfSpace, let piece = pieces.popLast() else { throw error }
                try? reserve.release(piece)
                // Some file systems let go of a removed file's space with the next sync.
                try fileSystem.syncDirectory(log.directory)
            }
        }
    }

    /// Frees the space that is allocated after the last commit.
    mutating func trimCurrent() {
        let (segment, size) = log.withState { state in
            (state.commits.current, state.space.plan.trim(end: state.commits.open.end))
        }
        if let segment, let size { try? segment.file.truncate(to: size) }
    }

    /// Before the first segment of an opening: frees the space that an earlier opening, which was not closed, had
    /// preallocated. Only zeros are cut off: a torn tail stays as it is.
    private func trimPredecessor() {
        guard let predecessor, let newest = log.segments.all.last, newest.header.kind == .log,
            newest.header.salt == predecessor.salt, var window = try? FileWindow(newest.file),
            let end = try? window.contentEnd(of: predecessor.endOffset..<window.count), end < window.count
        else { return }
        try? newest.file.truncate(to: end)
    }

    /// Closes and removes the next segment's file. Without a header it has no meaning. If this can't remove it, the
    /// next opening does.
    mutating func discardSpare() {
        guard let spare else { return }
        self.spare = nil
        try? spare.file.close()
        try? log.configuration.fileSystem.remove(spare.path)
    }
}
