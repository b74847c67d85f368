// With this, `import HeartwoodService` is enough to open, read and write a store, and its repositories.
@_exported public import Heartwood
@_exported public import HeartwoodRepository
