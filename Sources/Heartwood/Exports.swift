// With these, `import Heartwood` is enough to handle its errors and positions.
@_exported public import struct HeartwoodFiles.ChangePosition
@_exported public import typealias HeartwoodFiles.SequenceNumber
@_exported public import struct HeartwoodFiles.StoreError
@_exported public import struct HeartwoodFormat.StoreID
