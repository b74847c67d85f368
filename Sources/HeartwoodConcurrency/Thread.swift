internal import CHeartwood

/// The system can't start another thread.
package struct ThreadError: Error, Sendable, Hashable {
    /// The error number of the system, usually `EAGAIN`.
    package let code: Int32
}

/// A thread that was started by ``startThread(name:_:)``.
package final class ThreadHandle: Sendable {
    private let isFinished = ConditionLock(false)

    fileprivate init() {}

    /// Waits until the thread's body has returned. Blocks: don't call it on the cooperative pool.
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

/// Runs `body` on a new thread.
///
/// The thread takes none of the program's signals and needs no join. It ends when `body` returns.
///
/// - Parameters:
///   - name: The name for debuggers and profilers. Linux shortens it to 15 bytes.
///   - body: The work of the thread.
/// - Throws: ``ThreadError`` if the system can't start a thread. Then `body` doesn't run.
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

/// The data for the new thread, passed as an untyped pointer.
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

/// Checks `condition` repeatedly until it is true, and lets other threads run between checks. Blocks. For waits of
/// microseconds without a signal, such as in tests.
package func spin(until condition: () -> Bool) {
    var attempts = 0
    var pause = 20_000
    while !condition() {
        attempts += 1
        // On a busy machine, a thread that only yields takes processor time from the thread that it waits for.
        if attempts < 40 {
            heartwood_thread_yield()
        } else {
            heartwood_thread_pause(pause)
            pause = min(2 * pause, 2_000_000)
        }
    }
}
