// With this, `import HeartwoodHummingbird` is enough to handle errors.
@_exported public import KeyValueStore
