// With this, `import HeartwoodFoundation` is enough to open a store.
@_exported public import Heartwood
