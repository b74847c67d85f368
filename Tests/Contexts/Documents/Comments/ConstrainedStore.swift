// From Sources/KeyValueStoreTesting/Constrained/ConstrainedStore.swift, with the spacing that it has there.
// swift-format-ignore-file
import KeyValueStoreTesting

func constrainedStores() -> [ConstrainedStore] {
    let store = ConstrainedStore(.rough.seeded(42))
    let other = store.anotherHandle()           // as another program on the same cluster
    return [store, other]
}
