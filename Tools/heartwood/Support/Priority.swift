internal import Foundation

/// The priority of this process.
enum Priority {
    /// Lowers the priority: reading a store must not slow down the program that uses it.
    static func yieldToOthers() {
        // If the system refuses, the priority stays as it is.
        _ = nice(10)
    }
}
