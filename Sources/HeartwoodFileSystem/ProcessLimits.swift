internal import CHeartwood

/// What the system lets this process have.
package enum ProcessLimits {
    /// How many bytes of addresses or of private memory there may be, the lower of the two limits (`ulimit -v`, `ulimit -d`);
    /// nil where neither is set.
    package static var memory: UInt64? {
        let limit = heartwood_memory_limit()
        return limit == .max ? nil : limit
    }

    /// Lets all threads share one heap, which needs far fewer addresses than one for each. To be called before the first
    /// thread is started.
    package static func shareHeap() { heartwood_share_heap() }

    /// Raises the limit of open files to `wanted`, as far as the process may, and returns what it is now.
    package static func raiseOpenFiles(to wanted: UInt64) -> UInt64 { heartwood_raise_file_limit(wanted) }

    /// How many processors there are.
    package static var processors: Int { Int(heartwood_processor_count()) }

    /// Whether so many threads can run at the same time: they are started, and end again.
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
