internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// A store that was recovered from its files but not started: no thread exists that could write.
package struct RecoveredStore {
    let directory: StoreDirectory
    let log: Log
    let outcome: Recovery.Outcome

    /// Takes the lock and recovers. O(bytes of log).
    ///
    /// - Throws: As `Store.init`. Everything that was opened is closed again.
    package init(_ path: String, configuration: Store.Configuration) throws(StoreError) {
        let directory = try StoreDirectory(path, configuration: configuration)
        var configuration = configuration
        configuration.fileSystem = directory.fileSystem
        configuration.logRetention.resolve(keepsLog: directory.keepsLog)
        let index = VersionedIndex()
        let segments = SegmentTable()
        do throws(StoreError) {
            var recovery = Recovery(
                directory: directory, configuration: configuration, index: index, segments: segments)
            configuration.observer?(.recoveryBegan)
            outcome = try recovery.run()
            configuration.observer?(.recovered(outcome.report))
        } catch {
            try? segments.closeAll()
            directory.lock.unlock()
            throw error
        }
        self.directory = directory
        index.publish(max(1, segments.endAddress) - 1, outcome.lastSequence)
        log = Log(
            directory: path, storeID: outcome.storeID, configuration: configuration, index: index, segments: segments,
            lastSequence: outcome.lastSequence, newestTime: outcome.newestTime,
            uncovered: UncoveredLog(
                recoveredBytes: outcome.files.logBytes, recoveredRecords: outcome.files.logRecords,
                snapshotBytes: outcome.files.snapshot?.recordBytes ?? 0),
            compaction: CompactionControl(configuration.compaction, outcome.files))
        log.warnIfAhead()
        log.setFirstCompactionTrigger()
    }

    /// What the opening found.
    package var report: RecoveryReport { outcome.report }

    /// Calls `body` with each key in order, and its entry or the reason why it can't be read. O(keys) memory.
    package func forEach(_ body: ([UInt8], Result<Entry, StoreError>) -> Void) {
        let reader = Reader(log: log, point: .latest)
        let page = KeyPage()
        log.index.forEach(in: .all, at: log.index.visible, reversed: false) { key, version in
            page.append(key, version)
            return true
        }
        for index in 0..<page.count where reader.isAlive(page.version(index)) {
            let entry = Result { () throws(StoreError) in
                try reader.entry(page.lentKey(index), page.version(index))
            }
            body(page.key(index), entry)
        }
    }

    /// Closes the files and releases the lock, for callers that don't start the store.
    package func release() {
        try? log.segments.closeAll()
        directory.lock.unlock()
    }
}
