/// A few threads that run jobs in the order of submission.
///
/// Threads start when there is work and exit after some time without work. An idle pool holds no threads.
package final class WorkerPool: Sendable {
    private struct State {
        var jobs = FIFOQueue<@Sendable () -> Void>()
        var threads = 0
        /// Sleeping threads, including those that were signalled and haven't woken yet.
        var idleThreads = 0
    }

    private let name: String
    private let maximumThreads: Int
    private let idleNanoseconds: UInt64
    private let state = ConditionLock(State())

    /// A pool, at first without threads.
    ///
    /// - Parameters:
    ///   - name: The name of its threads.
    ///   - maximumThreads: How many jobs run at the same time at most.
    ///   - idleNanoseconds: How long a thread without work stays.
    package init(name: String, maximumThreads: Int, idleNanoseconds: UInt64) {
        self.name = name
        self.maximumThreads = maximumThreads
        self.idleNanoseconds = idleNanoseconds
    }

    /// How many threads the pool has.
    package var threadCount: Int {
        state.withLock { held in held.state.threads }
    }

    /// Runs `job` on one of the threads, after the jobs that were submitted earlier.
    ///
    /// If the pool has no thread and the system can't start one, this call runs the queued jobs on the caller's thread
    /// before it returns.
    package func submit(_ job: @escaping @Sendable () -> Void) {
        let needsThread = state.withLock { held in
            held.state.jobs.append(job)
            guard held.state.jobs.count > held.state.idleThreads, held.state.threads < maximumThreads else {
                held.signal()
                return false
            }
            held.state.threads += 1
            return true
        }
        guard needsThread else { return }
        do {
            try startThread(name: name) { self.work() }
        } catch {
            giveUpThread()
        }
    }

    private func work() {
        while let job = nextJob() {
            job()
        }
    }

    /// The next job; nil if the thread is to exit.
    private func nextJob() -> (@Sendable () -> Void)? {
        state.withLock { held in
            while true {
                if let job = held.state.jobs.popFirst() { return job }
                held.state.idleThreads += 1
                let isInTime = held.wait(timeoutNanoseconds: idleNanoseconds)
                held.state.idleThreads -= 1
                if !isInTime && held.state.jobs.isEmpty {
                    held.state.threads -= 1
                    return nil
                }
            }
        }
    }

    /// Handles a thread that was counted but could not be started.
    private func giveUpThread() {
        while true {
            let job = state.withLock { held -> (@Sendable () -> Void)? in
                // If another thread exists, it runs the queue.
                let job = held.state.threads == 1 ? held.state.jobs.popFirst() : nil
                if job == nil { held.state.threads -= 1 }
                return job
            }
            guard let job else { return }
            job()
        }
    }
}
