internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// A store that was recovered from its files but not started: no thread exists that could write.
package struct RecoveredStore {
    let directory: StoreDirectory
    let image: StoreImage
    private let configuration: Store.Configuration
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
        let segments = SegmentTable(configuration.valueReading)
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
        let bufferBytes = configuration.commitBufferBytes
        image = StoreImage(
            directory: path, storeID: outcome.storeID, configuration: configuration, index: index, segments: segments,
            newestTime: outcome.newestTime,
            commits: [CommitBuffer(capacity: bufferBytes), CommitBuffer(capacity: bufferBytes)])
        self.configuration = configuration
    }

    /// The log that continues the store.
    func makeLog() -> Log {
        let files = outcome.files
        let log = Log(
            image, configuration: configuration, lastSequence: outcome.lastSequence,
            uncovered: UncoveredLog(
                recoveredBytes: files.logBytes, recoveredRecords: files.logRecords,
                snapshotBytes: files.snapshot?.recordBytes ?? 0),
            compaction: CompactionControl(configuration.compaction, files)
        ) { log in
            var compactor = Compactor(log: log)
            compactor.run()
        }
        log.warnIfAhead()
        log.setFirstCompactionTrigger()
        return log
    }

    /// What the opening found.
    package var report: RecoveryReport { outcome.report }

    /// Calls `body` with each key in order, and its entry or the reason why it can't be read. O(keys) memory.
    package func forEach(_ body: ([UInt8], Result<Entry, StoreError>) -> Void) {
        let reader = Reader(image: image, point: .latest)
        let page = KeyPage()
        image.index.forEach(in: .all, at: image.index.visible, reversed: false) { key, version in
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
        try? image.segments.closeAll()
        directory.lock.unlock()
    }
}
