import KeyValueStore
import Testing

@testable import HeartwoodEtcd

/// The number of a lease is the second of an expiry, so every expiry needs one.
@Suite struct LeaseTableTests {
    @Test(arguments: [1, 1_000, 1_001, 1 << 62, .max - 1, .max] as [UInt64])
    func anExpiryIsRoundedUp(_ milliseconds: UInt64) throws {
        let expiry = Expiry.at(Timestamp(milliseconds: milliseconds))
        var value = EtcdKeyValue()
        value.lease = try #require(LeaseTable.second(expiry, now: Timestamp(milliseconds: 0)))
        let read = HeartwoodEtcd.expiry(value)
        let found = try #require(read).milliseconds
        #expect(found >= milliseconds && found - milliseconds < 1_000)
    }

    @Test(arguments: [.zero, .seconds(Int64.min) * 10, .seconds(Int64.max) * 10] as [Duration])
    func aMarginMayBeAny(_ margin: Duration) { _ = LeaseTable(margin: margin) }
}
