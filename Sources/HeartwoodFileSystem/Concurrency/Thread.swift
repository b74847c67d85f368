internal import CHeartwood

/// The system has no room for another thread.
package struct ThreadError: Error, Sendable, Hashable {
    /// What the system said: `EAGAIN`, as a rule.
    package let code: Int32
}

/// A thread that was started by ``startThread(name:_:)``.
package final class ThreadHandle: Sendable {
    private let isFinished = ConditionLock(false)

    fileprivate init() {}

    /// Waits until the thread's body has returned. Blocks: not for the cooperative pool.
    package func join() {
        isFinished.withLock { held in
            while !held.state { held.wait() }
        }
    }

    fileprivate func finish() {
        isFinished.withLock { held in
            held.state = true
            held.broadcast()
        }
    }
}

/// Runs `body` on a thread of its own.
///
/// The thread takes none of the program's signals and needs no joining; it ends when `body` returns.
///
/// - Parameters:
///   - name: What debuggers and profilers show; Linux cuts it to 15 bytes.
///   - body: What the thread does.
/// - Throws: ``ThreadError`` where the system gives out no more threads; `body` then doesn't run.
@discardableResult
package func startThread(
    name: String, _ body: @escaping @Sendable () -> Void
) throws(ThreadError) -> ThreadHandle {
    let handle = ThreadHandle()
    let start = Unmanaged.passRetained(ThreadStart(handle: handle, body: body))
    let error = heartwood_thread_start(
        name,
        { context in
            let start = Unmanaged<ThreadStart>.fromOpaque(context!).takeRetainedValue()
            start.body()
            start.handle.finish()
        },
        start.toOpaque())
    guard error == 0 else {
        start.release()
        throw ThreadError(code: error)
    }
    return handle
}

/// What crosses from the starting thread to the started one, as an untyped pointer.
private final class ThreadStart: Sendable {
    let handle: ThreadHandle
    let body: @Sendable () -> Void

    init(handle: ThreadHandle, body: @escaping @Sendable () -> Void) {
        self.handle = handle
        self.body = body
    }
}

/// A number that no other running thread has.
package func currentThreadNumber() -> UInt { heartwood_thread_number() }

/// Lets other threads run.
package func yieldThread() { heartwood_thread_yield() }

/// Sleeps for some time below a second.
package func pauseThread(nanoseconds: Int) { heartwood_thread_pause(nanoseconds) }

/// Asks again and again, each time after other threads have run, until `condition` holds. Blocks; for waits of
/// microseconds that nobody signals, as in tests.
package func spin(until condition: () -> Bool) {
    var attempts = 0
    var pause = 20_000
    while !condition() {
        attempts += 1
        // On a busy machine a thread that only yields takes the time from the one that it waits for.
        if attempts < 40 {
            heartwood_thread_yield()
        } else {
            heartwood_thread_pause(pause)
            pause = min(2 * pause, 2_000_000)
        }
    }
}
