// With this, `import HeartwoodLocal` is enough for errors and migrations, and to open the store as a `Repository`.
@_exported public import Heartwood
@_exported public import HeartwoodRepository
