// With this, `import Heartwood` is enough to handle its keys, values, errors and positions.
@_exported public import KeyValueStore
@_exported public import struct HeartwoodFileSystem.Storage
