@_exported public import KeyValueStore
