internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// A store that was brought back from its files and not set going yet: there is no thread that could write.
package struct RecoveredStore {
    let directory: StoreDirectory
    let log: Log
    let outcome: Recovery.Outcome

    /// Takes the lock and recovers. O(bytes of log).
    ///
    /// - Throws: As `Store.init`; then everything that was opened is closed again.
    package init(_ path: String, configuration: Store.Configuration) throws(StoreError) {
        let directory = try StoreDirectory(path, configuration: configuration)
        let index = VersionedIndex()
        let segments = SegmentTable()
        do throws(StoreError) {
            var recovery = Recovery(
                directory: directory, configuration: configuration, index: index, segments: segments)
            outcome = try recovery.run()
        } catch {
            try? segments.closeAll()
            directory.lock.unlock()
            throw error
        }
        self.directory = directory
        index.restore(visible: outcome.lastSequence)
        log = Log(
            directory: path, configuration: configuration, index: index, segments: segments,
            lastSequence: outcome.lastSequence, newestTime: outcome.newestTime)
    }

    /// What the opening found.
    package var report: RecoveryReport { outcome.report }

    /// Calls `body` with each key in order, the number of its write, and its value or why there is none. O(keys) memory.
    package func forEach(_ body: ([UInt8], SequenceNumber, Result<[UInt8], StoreError>) -> Void) {
        let reader = Reader(log: log, point: .latest)
        let entries = log.index.collect(.all, after: nil, at: log.index.visible, reversed: false, limit: .max)
        for entry in entries where reader.isAlive(entry.version) {
            let value = Result { () throws(StoreError) in try reader.entry(entry.key, entry.version).value }
            body(entry.key, entry.version.sequence, value)
        }
    }

    /// Closes the files and gives the lock back, for whoever doesn't set the store going.
    package func release() {
        try? log.segments.closeAll()
        directory.lock.unlock()
    }
}
