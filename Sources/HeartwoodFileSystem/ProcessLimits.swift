internal import HeartwoodConcurrency
internal import CHeartwood

/// The limits of this process.
package enum ProcessLimits {
    /// How many bytes of addresses or of private memory the process may have, the lower of the two limits (`ulimit -v`,
    /// `ulimit -d`); nil if neither is set.
    package static var memory: UInt64? {
        let limit = heartwood_memory_limit()
        return limit == .max ? nil : limit
    }

    /// Makes all threads share one heap, which needs far fewer addresses than one heap per thread. Call it before the
    /// first thread is started.
    package static func shareHeap() { heartwood_share_heap() }

    /// Raises the limit of open files to `wanted`, or as far as the process may. Returns the limit that is now in
    /// effect.
    package static func raiseOpenFiles(to wanted: UInt64) -> UInt64 { heartwood_raise_file_limit(wanted) }

    /// How many processors are online.
    package static var processors: Int { Int(heartwood_processor_count()) }

    /// Whether this many threads can run at the same time. Starts them to find out; they end again.
    package static func canStart(threads: Int) -> Bool {
        let isOver = ConditionLock(false)
        var handles: [ThreadHandle] = []
        defer {
            isOver.withLock { held in
                held.state = true
                held.broadcast()
            }
            for handle in handles { handle.join() }
        }
        while handles.count < threads {
            let handle = try? startThread(name: "probe") {
                isOver.withLock { held in
                    while !held.state { held.wait() }
                }
            }
            guard let handle else { return false }
            handles.append(handle)
        }
        return true
    }
}
