internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Logging

/// Letting go of the files that a snapshot has replaced.
extension Compactor {
    /// Lets go of the files that were replaced, if nobody can be reading them any more.
    ///
    /// - Returns: How many files were removed.
    @discardableResult
    mutating func retire() -> Int {
        var removed = 0
        // Oldest first: where one has to wait those behind it have to, too, for their eras end later.
        loop: while let retirement = retirements.first {
            switch retirement.plan.next(visible: log.index.visible, isOver: log.index.isOver) {
            case .wait: break loop
            case .endEra: retirements[0].plan.ended(log.index.endEra())
            case .move: do throws(StoreError) { try move() } catch { break loop }
            case .drop:
                guard dropExpired(retirement), waitForReaders() else { break loop }
                removed += drop(retirement)
                retirements.removeFirst()
            }
        }
        endEras()
        let held = heldFiles
        control.state.withState { $0.heldFiles = held }
        return removed
    }

    /// Files that were replaced and are still there.
    var heldFiles: Int { retirements.reduce(0) { $0 + $1.covered.count } }

    /// An era that can end ends now, so that nobody who takes a hold from now on is waited for.
    private mutating func endEras() {
        for index in retirements.indices.dropFirst() {
            let step = retirements[index].plan.next(visible: log.index.visible, isOver: { _ in false })
            if step == .endEra { retirements[index].plan.ended(log.index.endEra()) }
        }
    }

    private func waitForReaders() -> Bool { log.index.waitForReaders { control.state.withState { $0.isStopping } } }

    /// What had expired isn't in the snapshot, and all who saw it are gone.
    private func dropExpired(_ retirement: Retirement) -> Bool {
        log.index.prune()
        var isKept = false
        log.index.forEachExpired(at: retirement.time) { keys in
            if log.index.dropExpired(keys, at: retirement.time, ifUpTo: retirement.point) != nil { isKept = true }
            return true
        }
        return !isKept
    }

    /// Closes and removes files, oldest first, but for the logs that are to be kept.
    private mutating func drop(_ retirement: Retirement) -> Int {
        log.segments.retire(retirement.covered)
        var removed = 0
        // A snapshot may have the name of a later one, which has replaced its file.
        let present = Set(log.segments.all.map(\.path))
        for path in unremoved where !present.contains(path) && remove(path) { removed += 1 }
        for segment in retirement.covered {
            let bytes = (try? segment.file.size()) ?? 0
            // Nothing was written to it that isn't on the disk.
            try? segment.file.close()
            if segment.header.kind == .log, log.configuration.logRetention != .none {
                control.retained.withLock { $0.append(RetainedLog(path: segment.path, bytes: bytes)) }
            } else if !present.contains(segment.path), remove(segment.path) {
                removed += 1
            }
        }
        for path in LogRetention.exceeding(log.configuration.logRetention, control.retained) where remove(path) {
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
            log.configuration.logger?.warning(
                "a file that a snapshot has replaced could not be removed", metadata: ["cause": "\(error)"])
            return false
        }
    }
}

/// Files that a snapshot has replaced, until nobody reads them any more.
struct Retirement {
    /// The address up to which the snapshot holds everything.
    let point: UInt64
    /// The time by which expiry was judged.
    let time: UInt64
    let covered: [Segment]
    var plan = RetirementPlan()
}

extension LogRetention {
    /// The paths of the oldest kept logs, as many as are too much; they are kept no longer.
    static func exceeding(_ retention: LogRetention, _ retained: Locked<[RetainedLog]>) -> [String] {
        retained.withLock { retained in
            var total: UInt64 = 0
            var first = retained.count
            while first > 0, retained[first - 1].bytes <= retention.bytes - min(retention.bytes, total) {
                total += retained[first - 1].bytes
                first -= 1
            }
            defer { retained.removeFirst(first) }
            return retained[..<first].map(\.path)
        }
    }
}
