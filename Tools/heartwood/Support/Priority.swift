#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What this process may take of the machine.
enum Priority {
    /// Lets others go first where processors are short: whoever looks at a store should not slow down who uses it.
    static func yieldToOthers() {
        // Where the system refuses, it goes on as it is.
        _ = nice(10)
    }
}
