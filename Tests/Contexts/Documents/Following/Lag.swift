// A Swift block of Documentation/Following.md.
// swift-format-ignore-file
import Heartwood

/// How many writes the index is behind; nil while it is incomplete.
func lag(of index: ChangePosition?, behind store: Store) -> SequenceNumber? {
    guard let index, index.store == store.id else { return nil }
    return store.position.sequence - min(index.sequence, store.position.sequence)
}
