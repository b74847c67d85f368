import Heartwood
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodFuzzing
import HeartwoodInspection
import Testing

/// Files that are made to end an inspection, or to keep it busy: each trapped, or took for ever, once.
@Suite struct HostileInspectionTests {
    @Test func lostNumbersBeyondCounting() {
        let finding = Finding(.corruption, file: "a", offset: 0, "it is damaged", lost: 1...(.max))
        #expect(finding.description.hasSuffix("writes number 1 to 18446744073709551615 are lost"))
    }
}
