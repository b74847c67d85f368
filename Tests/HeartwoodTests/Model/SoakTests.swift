import HeartwoodCampaignSupport
import HeartwoodTesting
import Testing

/// A short run of `Tools/campaign soak`, and its criteria.
@Suite struct SoakTests {
    @Test func aStoreInUseAgreesWithItsModel() async throws {
        let parent = try HeartwoodCampaignSupport.TemporaryDirectory.make("soak-test")
        defer { HeartwoodCampaignSupport.TemporaryDirectory.remove(parent) }
        // Other suites run in the same process, so its memory isn't judged.
        let run = SoakRun(seed: 11, seconds: 6, path: parent + "/store", keysPerWriter: 200, judgesMemory: false)
        try await run.run { _, _ in }
        // Larger numbers would depend on the machine.
        #expect(run.summary.writes > 0 && run.summary.closed + run.summary.dropped > 0)
        let picture = SoakPicture.draw(run)
        #expect(picture.hasPrefix("<svg ") && picture.hasSuffix("</svg>\n"))
        #expect(picture.contains("seed 11") && picture.contains("prefers-color-scheme: dark"))
        #expect(!picture.contains("nan") && !picture.contains("inf"))
    }

    @Test func sawtoothIsFlatAndGrowthIsNot() {
        let teeth = (0..<900).map { 40_000 + $0 % 7 * 5_000 }
        #expect(Flatness.isFlat(teeth, slack: 0))
        #expect(Flatness.isFlat(teeth.map { $0 + ($0 > 60_000 ? 500_000 : 0) }, slack: 0))
        #expect(!Flatness.isFlat(teeth.enumerated().map { $1 + $0 * 200 }, slack: 0))
        // Growth that is small compared with the constant part.
        #expect(Flatness.isFlat((0..<900).map { 1_000_000 + $0 }, slack: 0))
        // Growth at the start that ends, as of caches.
        #expect(Flatness.isFlat((0..<900).map { min($0, 300) * 1_000 }, slack: 0))
        #expect(Flatness.isFlat([], slack: 0) && Flatness.isFlat([1, 2], slack: 0))
        #expect(Flatness.isFlat([1, 2, 3, 4, 5, 600], slack: 1_000))
    }

    @Test func percentilesAreThoseOfTheSortedDurations() throws {
        var random = SeededRandom(1)
        let durations = (0..<1_001).map { UInt64($0) * 1_000_000 }.shuffled(using: &random)
        let latency = try #require(SoakSample.Latency(durations))
        #expect(latency.p50 == 0.5 && latency.p99 == 0.99 && latency.p999 == 0.999 && latency.maximum == 1)
        #expect(SoakSample.Latency([]) == nil)
    }

    /// After rounding, the sum of a height and a distance may be less than that distance away from the height.
    @Test func labelsOfCloseLinesAreSeparated() {
        for step in 0..<200 {
            let series = (0..<4).map { TimelineSVG.Series("line \($0)", [(0, Double(step) * 0.37 + 0.01)]) }
            let panel = TimelineSVG.Panel("panel", unit: "", range: 0...100, series)
            let picture = TimelineSVG(title: "", subtitle: "", duration: 10, panels: [panel], marks: []).text
            #expect((0..<4).allSatisfy { picture.contains(">line \($0)<") })
        }
    }

    @Test func anAxisIncludesAllPoints() {
        let picture = TimelineSVG(
            title: "a < b & \"c\"", subtitle: "", duration: 0,
            panels: [
                .init("empty", unit: "MiB", []),
                .init("one", unit: "", isLogarithmic: true, [.init("x", [(0, 2)])]),
            ],
            marks: [.init("none", [])]
        ).text
        #expect(picture.contains("a &lt; b &amp; &quot;c&quot;"))
        #expect(!picture.contains("nan") && !picture.contains("inf"))
        #expect(picture.contains(">10 s<"))
    }
}
