/// A broken promise: the engine did something that a campaign's model doesn't allow.
package struct Violation: Error, CustomStringConvertible {
    package var description: String
    package init(_ description: String) { self.description = description }
}

/// Does what must succeed. Any error is a ``Violation``.
func promised<Result>(_ what: String, _ body: () async throws -> Result) async throws -> Result {
    do { return try await body() } catch { throw Violation("\(what): \(error)") }
}

/// Throws a ``Violation`` unless the condition holds.
package func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw Violation(message()) }
}
