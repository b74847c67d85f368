internal import HeartwoodConcurrency

/// Keeps the log after a sequence number, whatever `logRetention` says, until it is read, or its reader is released.
final class LogHold: Sendable {
    private let log: Log

    /// - Parameter sequence: The log after this number is kept.
    init(_ log: Log, after sequence: SequenceNumber) {
        self.log = log
        let id = ObjectIdentifier(self)
        log.compaction.holds.withLock { $0[id] = sequence }
    }

    deinit { release() }

    /// The log up to a sequence number is no longer needed.
    func advance(to sequence: SequenceNumber) {
        log.compaction.holds.withLock { holds in
            if let before = holds[ObjectIdentifier(self)] { holds[ObjectIdentifier(self)] = max(before, sequence) }
        }
    }

    /// Nothing is kept any longer. Does nothing the second time.
    func release() {
        let isLast = log.compaction.holds.withLock { holds in
            holds.removeValue(forKey: ObjectIdentifier(self)) != nil && holds.isEmpty
        }
        if isLast, log.compaction.hasExceedingLog(log.configuration.logRetention) { log.wakeCompactor() }
    }
}

extension CompactionControl {
    /// Whether more log is kept than a retention says.
    func hasExceedingLog(_ retention: LogRetention) -> Bool {
        retained.withLock { retention.excess(of: $0) > 0 }
    }

    /// Removes the oldest kept logs that exceed the retention, and that no hold needs, from the list.
    ///
    /// - Returns: Their paths.
    func takeExceedingLogs(_ retention: LogRetention, newest: SequenceNumber) -> [String] {
        let needed = holds.withLock { $0.values.min() }
        return retained.withLock { retained in
            var count = retention.excess(of: retained)
            if let needed {
                // A log is needed if the next one begins after the first write that is.
                let free = (0..<retained.count).first { index in
                    (index + 1 < retained.count ? retained[index + 1].first : newest) > needed + 1
                }
                count = min(count, free ?? retained.count)
            }
            defer { retained.removeFirst(count) }
            return retained[..<count].map(\.path)
        }
    }
}

extension LogRetention {
    /// How many of the kept logs, oldest first, exceed the limit.
    fileprivate func excess(of retained: [RetainedLog]) -> Int {
        var total: UInt64 = 0
        var first = retained.count
        while bytes > 0, first > 0, retained[first - 1].bytes <= bytes - min(bytes, total) {
            total += retained[first - 1].bytes
            first -= 1
        }
        return first
    }
}
