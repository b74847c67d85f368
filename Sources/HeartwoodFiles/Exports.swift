// So that `import HeartwoodFiles` alone is enough for its errors and positions.
@_exported public import KeyValueStore
