/// The engine did something that the model says it must not.
package struct ModelFailure: Error, CustomStringConvertible {
    /// What differed.
    package var what: String
    package var seed: UInt64 = 0
    package var operation = 0
    /// The operation as it was drawn.
    package var drawn = ""
    /// Where the store is, when it is on disk.
    package var directory: String?

    package init(_ what: String) { self.what = what }

    package var description: String {
        var text = "seed \(seed), operation \(operation): \(what)"
        if !drawn.isEmpty { text += "\n  operation: \(drawn.prefix(2000))" }
        if let directory { text += "\n  the store is kept in \(directory)" }
        return text
    }
}

/// Ends the run where something isn't so.
func check(_ isSo: Bool, _ what: @autoclosure () -> String) throws {
    guard isSo else { throw ModelFailure(what()) }
}
