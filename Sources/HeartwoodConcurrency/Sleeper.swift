/// A waiter for a value: a suspended task or a blocked thread. Resume it exactly once.
package enum Sleeper<Value: Sendable>: Sendable {
    case task(UnsafeContinuation<Value, Never>)
    case thread(ParkedThread<Value>)

    /// Resumes the waiter with this value.
    package func resume(returning value: Value) {
        switch self {
        case .task(let continuation): continuation.resume(returning: value)
        case .thread(let thread): thread.resume(returning: value)
        }
    }

    /// Suspends the task until the sleeper that `body` gets is resumed; that may happen inside `body`. `body` runs in
    /// the caller's context.
    @inline(__always)
    package static nonisolated(nonsending) func suspend(_ body: (Sleeper) -> Void) async -> Value {
        await withUnsafeContinuation { body(.task($0)) }
    }

    /// Blocks the thread until the sleeper that `body` gets is resumed; that may happen inside `body`.
    package static func block(_ body: (Sleeper) -> Void) -> Value {
        let thread = ParkedThread<Value>()
        body(.thread(thread))
        return thread.wait()
    }
}

/// A thread that is blocked until it is given a value.
package final class ParkedThread<Value: Sendable>: Sendable {
    private let value = ConditionLock<Value?>(nil)

    fileprivate init() {}

    fileprivate func resume(returning value: Value) {
        self.value.withLock { held in
            precondition(held.state == nil, "a thread was resumed twice")
            held.state = value
            // Signal with the lock held: once the thread has the value, it may free this object and its lock.
            held.signal()
        }
    }

    fileprivate func wait() -> Value {
        value.withLock { held in
            while held.state == nil { held.wait() }
            return held.state!
        }
    }
}
