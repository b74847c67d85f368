/// A few threads that run jobs in the order in which they came.
///
/// Threads start when there is work for them and exit when there has been none for a while, so that a pool at rest
/// holds nothing.
package final class WorkerPool: Sendable {
    private struct State {
        var jobs = FIFOQueue<@Sendable () -> Void>()
        var threads = 0
        /// Threads that sleep, those included that were signalled and haven't woken yet.
        var idleThreads = 0
    }

    private let name: String
    private let maximumThreads: Int
    private let idleNanoseconds: UInt64
    private let state = ConditionLock(State())

    /// A pool without threads as yet.
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

    /// How many threads there are now.
    package var threadCount: Int {
        state.withLock { held in held.state.threads }
    }

    /// Runs `job` on one of the threads, after those that were submitted before.
    ///
    /// Where the pool has no thread and the system refuses to start one, the jobs run before this returns, on the
    /// caller's thread: late is better than never.
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

    /// The body of a thread.
    private func work() {
        while let job = nextJob() {
            job()
        }
    }

    /// The next job, or nil when the thread is to exit.
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

    /// A thread that was counted in could not be started.
    private func giveUpThread() {
        while true {
            let job = state.withLock { held -> (@Sendable () -> Void)? in
                // With a thread left the queue is in good hands.
                let job = held.state.threads == 1 ? held.state.jobs.popFirst() : nil
                if job == nil { held.state.threads -= 1 }
                return job
            }
            guard let job else { return }
            job()
        }
    }
}
