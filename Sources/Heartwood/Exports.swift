// `import Heartwood` alone suffices to handle its errors.
@_exported public import struct HeartwoodFiles.StoreError
@_exported public import typealias HeartwoodFiles.SequenceNumber
