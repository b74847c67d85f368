import Testing

@testable import heartwood_bench

struct ScaleTests {
    @Test func aLogarithmicScaleGivesEachDecadeTheSame() {
        let scale = Scale.logarithmic([10, 100_000], margin: 1)
        #expect(abs(scale.position(10)) < 1e-9 && abs(scale.position(100_000) - 1) < 1e-9)
        #expect(abs(scale.position(1_000) - 0.5) < 1e-9)
        #expect(scale.position(0) == 0 && scale.position(-1) == 0 && scale.position(.infinity) == 1)
        #expect(scale.ticks(about: 6).count == 5)
    }

    @Test func aScaleOfNinesGivesEachNineTheSame() {
        let scale = Scale.nines(4)
        #expect([90, 99, 99.9, 99.99].map(scale.position).elementsEqual([0.25, 0.5, 0.75, 1]) { abs($0 - $1) < 1e-6 })
        #expect(scale.position(100) == 1 && scale.position(0) == 0)
        #expect(scale.ticks(about: 6) == [50, 90, 99, 99.9, 99.99])
    }

    @Test func noScaleHasMoreMarksThanWereAskedForByMuch() {
        for (low, high) in [(1.0, 1.01), (1, 3), (0.002, 7_000), (1e-9, 1e12), (5, 5)] {
            let scale = Scale.logarithmic([low, high])
            #expect(scale.ticks(about: 6).count <= 6)
            #expect(scale.position(low) > 0 && scale.position(high) < 1)
        }
        for high in [0.03, 1, 7, 199, 1e9] {
            let ticks = Scale.linear(to: high).ticks(about: 4)
            #expect((2...6).contains(ticks.count) && ticks.first == 0)
        }
        #expect((2...4).contains(Scale.logarithmic([]).ticks(about: 4).count))
    }

    @Test func barsAreLogarithmicBeyondTwentyTimes() {
        func scale(_ rates: [Int]) -> RatioScale {
            let engines = rates.indices.map { index in
                EngineInfo(
                    id: index == 0 ? "heartwood" : "e\(index)", title: "", family: index == 0 ? "heartwood" : "e",
                    version: "",
                    settings: [])
            }
            let row = RowInfo(
                id: "a", workload: "a", group: "a", title: "", promise: nil, workers: 1, keys: 1, valueBytes: 1,
                measure: .rate)
            let cells = zip(engines, rates).map { engine, rate in
                CellResult(
                    row: "a", engine: engine.id, runs: [.init(operations: rate, seconds: 1, bytes: 1, started: 0)])
            }
            return RatioScale([Comparison(row, engines: engines, cells: cells)])
        }
        #expect(!scale([100, 10, 200]).isLogarithmic)
        #expect(scale([100, 10, 201]).isLogarithmic)
        #expect(scale([1, 1]).percent(1) > 90)
        #expect(!scale([1]).isLogarithmic && !scale([0, 0]).isLogarithmic)
    }

    @Test func figuresAreShort() {
        let short = [0, 0.00817, 0.0123, 0.5, 1.234, 56.78, 999.4, 999.6, 1_505_322, 2e9].map {
            FigureText.short($0, space: "")
        }
        #expect(short == ["0", "0.0082", "0.012", "0.50", "1.23", "56.8", "999", "1.00k", "1.51M", "2.00G"])
        #expect(
            FigureText.round(0.5) == "0.5" && FigureText.round(10_000) == "10\u{202F}k"
                && FigureText.round(100) == "100")
        let seconds = [350e-9, 12e-6, 0.203, 4.25, 700].map { FigureText.seconds($0, space: "") }
        #expect(seconds == ["350ns", "12.0µs", "203ms", "4.25s", "11.7min"])
        #expect(
            [50, 90, 99, 99.9, 99.99, 100].map(FigureText.percentile) == ["50", "90", "99", "99.9", "99.99", "100"])
        #expect(FigureText.ratio(0.0022) == "0.0022×" && FigureText.ratio(1_280) == "1,280×")
        // What no machine measures ends nothing.
        for value in [Double.nan, .infinity, -1e300, 1e300, 1e-300] {
            _ = (FigureText.short(value), FigureText.seconds(value), FigureText.ratio(value), FigureText.moment(value))
            _ = (FigureText.duration(value), FigureText.percentile(value), FigureText.round(value))
        }
    }
}
