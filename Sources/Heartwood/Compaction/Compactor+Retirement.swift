internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Logging

/// Removal of the files that a snapshot has replaced.
extension Compactor {
    /// Removes the replaced files that no reader can reach any more.
    ///
    /// - Returns: The number of removed files.
    @discardableResult
    mutating func retire() -> Int {
        var removed = 0
        // Oldest first. If one must wait, later ones must wait too, because their pin epochs end later.
        loop: while let retirement = retirements.first {
            switch retirement.plan.next(visible: image.index.visible, isOver: image.index.isOver) {
            case .wait: break loop
            case .endPinEpoch: retirements[0].plan.ended(image.index.endPinEpoch())
            case .move: do throws(StoreError) { try move() } catch { break loop }
            case .drop:
                guard dropExpired(retirement), waitForReaders() else { break loop }
                removed += drop(retirement)
                retirements.removeFirst()
            }
        }
        removed += dropExceedingLogs()
        endPinEpochs()
        let held = pinnedFiles
        control.state.withState { $0.pinnedFiles = held }
        return removed
    }

    /// Number of replaced files that still exist.
    var pinnedFiles: Int { retirements.reduce(0) { $0 + $1.covered.count } }

    /// Ends pin epochs that can end, so that no retirement waits for pins that are taken after this.
    private mutating func endPinEpochs() {
        for index in retirements.indices.dropFirst() {
            let step = retirements[index].plan.next(visible: image.index.visible, isOver: { _ in false })
            if step == .endPinEpoch { retirements[index].plan.ended(image.index.endPinEpoch()) }
        }
    }

    private func waitForReaders() -> Bool { image.index.waitForReaders { control.state.withState { $0.isStopping } } }

    /// Removes expired keys from the index. They aren't in the snapshot, and all readers that could see them have
    /// finished.
    private func dropExpired(_ retirement: Retirement) -> Bool {
        image.index.prune()
        var isKept = false
        image.index.forEachExpired(at: retirement.time) { keys in
            if image.index.dropExpired(keys, at: retirement.time, ifUpTo: retirement.point) != nil { isKept = true }
            return true
        }
        return !isKept
    }

    /// Closes files and removes snapshots. Logs are kept until `dropExceedingLogs`.
    private mutating func drop(_ retirement: Retirement) -> Int {
        image.segments.retire(retirement.covered)
        var removed = 0
        // A later snapshot can have the same name and may have replaced this one's file.
        let present = Set(image.segments.all.map(\.path))
        for path in unremoved where !present.contains(path) && remove(path) { removed += 1 }
        for segment in retirement.covered {
            let bytes = (try? segment.file.size()) ?? 0
            // A failed close loses nothing: everything in this file is already synced.
            try? segment.file.close()
            if segment.header.kind == .log {
                let kept = RetainedLog(path: segment.path, first: segment.header.firstSequence, bytes: bytes)
                control.retained.withLock { $0.append(kept) }
            } else if !present.contains(segment.path), remove(segment.path) {
                removed += 1
            }
        }
        return removed
    }

    /// Removes covered logs that neither the retention nor a feed keeps.
    private mutating func dropExceedingLogs() -> Int {
        let newest = image.segments.all.first { $0.header.kind == .log }?.header.firstSequence ?? .max
        var removed = 0
        for path in control.takeExceedingLogs(log.configuration.logRetention, newest: newest) where remove(path) {
            removed += 1
        }
        return removed
    }

    private mutating func remove(_ path: String) -> Bool {
        unremoved.removeAll { $0 == path }
        do throws(FileSystemError) {
            try fileSystem.remove(path)
            return true
        } catch {
            if error.isNotFound { return true }
            unremoved.append(path)
            log.configuration.logger?.info(
                "a file that a snapshot has replaced could not be removed", metadata: ["cause": "\(error)"])
            return false
        }
    }
}

/// Files that a snapshot has replaced, until no reader uses them.
struct Retirement {
    /// The snapshot includes everything up to this address.
    let point: UInt64
    /// The time by which expiry was judged, in milliseconds since 1970.
    let time: UInt64
    let covered: [Segment]
    var plan = RetirementPlan()
}
