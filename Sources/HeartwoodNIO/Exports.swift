// With this, `import HeartwoodNIO` is enough to open a store.
@_exported public import Heartwood
