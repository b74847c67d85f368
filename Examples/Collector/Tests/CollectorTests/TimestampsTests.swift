import Foundation
import Testing

@testable import CollectorService

@Suite struct TimestampsTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.001Z", 1), ("1970-01-01t00:00:01.5z", 1_500),
            ("2000-02-29T23:59:59.999999999Z", 951_868_799_999), ("2026-11-26 10:30:00+01:00", 1_795_685_400_000),
            ("2026-11-26T04:00:00-05:30", 1_795_685_400_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, UInt64)])
    func timesAreRead(_ text: String, _ milliseconds: UInt64) { #expect(Timestamps.parse(text) == milliseconds) }

    @Test(arguments: [
        "", "2026-11-26", "2026-11-26T09:30Z", "2026-11-26T09:30:00", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-11-31T00:00:00Z", "2026-11-26T24:00:00Z",
        "2026-11-26T09:60:00Z", "2026-11-26T09:30:61Z", "2026-11-26T09:30:00.Z", "2026-11-26T09:30:00Zx",
        "2026-11-26T09:30:00+0100", "2026-11-26T09:30:00+24:00", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-01:00", "+026-11-26T09:30:00Z", "２026-11-26T09:30:00Z", "1900-02-29T00:00:00Z",
    ])
    func otherTextIsRefused(_ text: String) { #expect(Timestamps.parse(text) == nil) }

    /// Every text that is written is read again, and is Foundation's.
    @Test func textsAreWrittenAsFoundationWritesThem() {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for time in stride(from: UInt64(0), to: Timestamps.end, by: 86_400_000 * 97 + 12_345_678) {
            let text = Timestamps.text(time)
            // A date is a floating-point number, which may lie before the millisecond.
            #expect(text == Date(timeIntervalSince1970: Double(time) / 1_000 + 0.000_4).formatted(style))
            #expect(Timestamps.parse(text) == time)
        }
    }
}
