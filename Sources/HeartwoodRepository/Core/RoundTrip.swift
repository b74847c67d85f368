internal import Synchronization

/// Says which saved records are decoded once more, and of which read ones the id is compared with that of the key. Only
/// that shows whether the stored form of a model has the id and the indexed values of the model.
///
/// Mistakes in the code of a model, such as an id that isn't decoded, show with any record, so a few of each opening
/// are enough. Where the values decide, such as dates that a coder rounds, it is every record.
final class RoundTrip: Sendable {
    private let saves: Atomic<Int>
    /// How many records are still to be checked when they are read; below 0 all are.
    private let reads: Atomic<Int>

    /// - Parameter isCertain: Whether the coder keeps all ids and indexed values, as far as their types tell.
    init(isCertain: Bool) {
        saves = Atomic(isCertain ? 0 : .min)
        reads = Atomic(isCertain ? 16 : -1)
    }

    /// Whether to decode the record that is being saved: the first 16, then one in 1,024.
    var isDue: Bool {
        let number = saves.wrappingAdd(1, ordering: .relaxed).oldValue
        return number < 16 || number & 1_023 == 0
    }

    /// Whether to check the id of the record that was read: the first 16. Later reads only load the number, so that
    /// many of them at once don't wait for each other.
    var isReadDue: Bool {
        let left = reads.load(ordering: .relaxed)
        if left > 0 { _ = reads.compareExchange(expected: left, desired: left - 1, ordering: .relaxed) }
        return left != 0
    }

    /// From now on it is every record.
    func requireAlways() {
        saves.store(.min, ordering: .relaxed)
        reads.store(-1, ordering: .relaxed)
    }
}
