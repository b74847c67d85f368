/// Somebody who waits for a value: a task that is suspended, or a thread that is blocked. Resumed exactly once.
package enum Sleeper<Value: Sendable>: Sendable {
    case task(UnsafeContinuation<Value, Never>)
    case thread(ParkedThread<Value>)

    /// Lets it go on with this value.
    package func resume(returning value: Value) {
        switch self {
        case .task(let continuation): continuation.resume(returning: value)
        case .thread(let thread): thread.resume(returning: value)
        }
    }

    /// Suspends the task until what `body` gets is resumed, which may be at once. `body` runs where the caller does.
    @inline(__always)
    package static nonisolated(nonsending) func suspend(_ body: (Sleeper) -> Void) async -> Value {
        await withUnsafeContinuation { body(.task($0)) }
    }

    /// Blocks the thread until what `body` gets is resumed, which may be at once.
    package static func block(_ body: (Sleeper) -> Void) -> Value {
        let thread = ParkedThread<Value>()
        body(.thread(thread))
        return thread.wait()
    }
}

/// A thread that is blocked until somebody gives it a value.
package final class ParkedThread<Value: Sendable>: Sendable {
    private let value = ConditionLock<Value?>(nil)

    fileprivate init() {}

    fileprivate func resume(returning value: Value) {
        self.value.withLock { held in
            precondition(held.state == nil, "a thread was resumed twice")
            held.state = value
            // With the lock held: once the thread has the value, the lock is gone with this object.
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
