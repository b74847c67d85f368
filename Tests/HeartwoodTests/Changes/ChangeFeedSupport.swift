import HeartwoodCampaignSupport

@testable import Heartwood

extension StoreReplica {
    /// All keys and values.
    var everything: [[UInt8]: [UInt8]] { contents.mapValues(\.bytes) }
}

extension Store {
    /// All keys and values.
    nonisolated func everything() throws -> [[UInt8]: [UInt8]] { try StoreReplica(readView()).everything }

    /// The position before the first write.
    nonisolated var beginning: ChangePosition { ChangePosition(store: id, sequence: 0) }
}
