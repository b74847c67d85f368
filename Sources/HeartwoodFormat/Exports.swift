// So that `import HeartwoodFormat` alone is enough for the identity of a store.
@_exported public import KeyValueStore
