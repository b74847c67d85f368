// With this, `import Heartwood` is enough to handle its keys, values, errors and positions, and its storage.
@_exported public import KeyValueStore
@_exported public import HeartwoodFileSystem
