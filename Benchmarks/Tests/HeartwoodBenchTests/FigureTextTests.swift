import Testing

@testable import heartwood_bench

struct FigureTextTests {
    @Test func figuresAreShort() {
        let short = [0, 0.00817, 0.0123, 0.5, 1.234, 56.78, 999.4, 999.6, 1_505_322, 2e9].map {
            FigureText.short($0, space: "")
        }
        #expect(short == ["0", "0.0082", "0.012", "0.50", "1.23", "56.8", "999", "1.00k", "1.51M", "2.00G"])
        let seconds = [350e-9, 12e-6, 0.203, 4.25, 700].map { FigureText.seconds($0, space: "") }
        #expect(seconds == ["350ns", "12.0µs", "203ms", "4.25s", "11.7min"])
        #expect(FigureText.ratio(0.0022) == "0.0022×" && FigureText.ratio(1_280) == "1,280×")
        // Values that no machine measures don't trap.
        for value in [Double.nan, .infinity, -1e300, 1e300, 1e-300] {
            _ = (FigureText.short(value, space: ""), FigureText.seconds(value, space: ""))
            _ = (FigureText.ratio(value), FigureText.moment(value))
        }
    }
}
