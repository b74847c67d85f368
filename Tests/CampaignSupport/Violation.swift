/// A broken promise: the engine did something that a campaign's model doesn't allow.
package struct Violation: Error, CustomStringConvertible {
    package var description: String
    package init(_ description: String) { self.description = description }
}

/// Throws a ``Violation`` unless the condition holds.
package func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw Violation(message()) }
}
