// With these, `import Heartwood` is enough to handle its errors.
@_exported public import struct HeartwoodFiles.StoreError
@_exported public import typealias HeartwoodFiles.SequenceNumber
