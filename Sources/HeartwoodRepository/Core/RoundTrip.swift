internal import Synchronization

/// Says which saved records are decoded once more. Only that shows whether the stored form of a model has the id and
/// the indexed values of the model.
///
/// Mistakes in the code of a model, such as an id that isn't decoded, show with any record, so a few of each opening
/// are enough. Where the values decide, such as dates that a coder rounds, it is every record.
final class RoundTrip: Sendable {
    private let count: Atomic<Int>

    /// - Parameter isCertain: Whether the coder keeps all ids and indexed values, as far as their types tell.
    init(isCertain: Bool) { count = Atomic(isCertain ? 0 : .min) }

    /// Whether to decode the record that is being saved: the first 16, then one in 1,024.
    var isDue: Bool {
        let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
        return number < 16 || number & 1_023 == 0
    }

    /// From now on every record is decoded.
    func requireAlways() { count.store(.min, ordering: .relaxed) }
}
