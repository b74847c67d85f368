/// A violation of the model, with the operation that showed it.
package struct ModelFailure: Error, CustomStringConvertible {
    var seed: UInt64
    var number: Int
    var cause: String
    /// nil: the comparison at the end of a store's life.
    var operation: ModelOperation?
    /// The path of a store on disk.
    var directory: String?

    package var description: String {
        var text = "seed \(seed), operation \(number): \(cause)"
        if let operation { text += "\n  operation: \("\(operation)".prefix(2000))" }
        if let directory { text += "\n  the store is kept in \(directory)" }
        return text
    }
}
