// With this, `import HeartwoodEtcd` is enough to handle keys, errors and expiry.
@_exported public import KeyValueStore
