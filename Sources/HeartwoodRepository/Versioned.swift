/// A model as it was read, with its revision: what to save a change of it with, if nothing else has changed it.
///
/// ```swift
/// if let found = try await users.findVersioned(by: 7) {
///     var user = found.model
///     user.name = "Ada"
///     try await users.save(user, replacing: found)        // throws .conflict if another task was faster
/// }
/// ```
public struct Versioned<Model: Sendable>: Sendable {
    /// The model.
    public let model: Model
    /// The number of the write that saved it. Maintenance that rewrites a record gives it another one.
    public let revision: SequenceNumber
    /// When it expires; nil for never.
    public let expires: Timestamp?
    /// Its keys in the indexes, which a change of it has to remove.
    let envelope: RecordEnvelope
}
