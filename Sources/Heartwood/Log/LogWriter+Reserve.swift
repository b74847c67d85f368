internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// A full disk: what the reserve is used for, and when it is made.
extension LogWriter {
    private var isCompacting: Bool { log.compaction.state.withState { $0.isRunning } }

    /// Whether batches that put may be given space.
    var isReserveWhole: Bool { reserve.isWhole(isCompacting: isCompacting) }

    /// Makes what is missing of the reserve.
    mutating func fillReserve() throws(FileSystemError) { try reserve.fill(isCompacting: isCompacting) }

    /// Serves removals and compaction where an allocation has failed for want of space: first with what the disk still
    /// has, then with the reserve.
    ///
    /// - Returns: Whether a rotation follows; nil where this serves none of them.
    mutating func layFromReserve(_ demands: LogRoom.Demands, turns: Bool, after error: FileSystemError) -> Bool? {
        guard error.isOutOfSpace, demands.hasRemovals || demands.cut else { return nil }
        return (demands.hasRemovals ? layForRemoval(demands, turns: turns) : nil)
            ?? (demands.cut && turns ? layForCut() : nil)
    }

    private mutating func layForRemoval(_ demands: LogRoom.Demands, turns: Bool) -> Bool? {
        let removal = self.demands(of: demands.leastRemoval, removesOnly: true, like: demands)
        trimPredecessor()
        if (try? lay(removal, turns: turns)) != nil { return turns }
        if log.withState({ $0.commits.holdsNothing }) {
            // A segment without records isn't followed by another, so it takes the space and not the file.
            guard let need = removal.room, (try? reserve.release(.removals)) != nil,
                (try? layRoom(need: need, isOpen: false)) != nil
            else { return nil }
            return false
        }
        return rotates(to: .removals, need: UInt64(demands.leastRemoval + FormatConstants.commitHeaderSize))
    }

    private mutating func layForCut() -> Bool? {
        var cut = LogRoom.Demands()
        cut.cut = true
        cut.isSparing = true
        trimPredecessor()
        if (try? lay(cut, turns: true)) != nil { return true }
        return rotates(to: .segment, need: 0) ?? rotates(to: .removals, need: 0)
    }

    private mutating func rotates(to piece: Reserve.Piece, need: UInt64) -> Bool? {
        guard let taken = try? reserve.take(piece, need: need) else { return nil }
        discardSpare()
        spare = taken
        return true
    }

    /// Renames a file of the store's directory. Where the directory has to grow for the name, and a full disk has no block
    /// for it, the reserve gives its own: by now writes have been accepted that are to go into the file.
    mutating func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        let fileSystem = log.configuration.fileSystem
        // The file may itself be of the reserve.
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

    /// Gives the space that is allocated after the last commit back to the disk.
    mutating func trimCurrent() {
        let (segment, size) = log.withState { state in
            (state.commits.current, state.room.plan.trim(end: state.commits.open.end))
        }
        if let segment, let size { try? segment.file.truncate(to: size) }
    }

    /// Before the first segment of an opening: gives the space back that an earlier opening had allocated and, without a
    /// close, has kept. Only zeros go: what a crash has torn stays as it is.
    private func trimPredecessor() {
        guard let predecessor, let newest = log.segments.all.last, newest.header.kind == .log,
            newest.header.salt == predecessor.salt, var window = try? FileWindow(newest.file),
            let end = try? window.contentEnd(of: predecessor.endOffset..<window.count), end < window.count
        else { return }
        try? newest.file.truncate(to: end)
    }

    /// Closes and removes the next segment's file. Without a header it means nothing: where this can't remove it, the next
    /// opening does.
    mutating func discardSpare() {
        guard let spare else { return }
        self.spare = nil
        try? spare.file.close()
        try? log.configuration.fileSystem.remove(spare.path)
    }
}
