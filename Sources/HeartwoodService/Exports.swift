// With this, `import HeartwoodService` is enough to open, read and write a store.
@_exported public import Heartwood
