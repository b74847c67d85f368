internal import Foundation

extension Results {
    /// The same results without what no document, table or chart needs: for the file that is published.
    ///
    /// Each run keeps the row's figure and the percentiles of latency. The run with the median keeps its other figures
    /// and its timeline too, and the curve of latencies if the row's figure is a latency. These other figures are
    /// rounded.
    var summary: Results {
        var summary = self
        let rows = Dictionary(self.rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for index in summary.cells.indices {
            guard let row = rows[summary.cells[index].row] else { continue }
            let runs = summary.cells[index].runs
            let byValue = runs.indices.sorted { (row.value(runs[$0]) ?? 0) < (row.value(runs[$1]) ?? 0) }
            for run in runs.indices {
                summary.cells[index].runs[run].shorten(for: row, isMedian: run == byValue[byValue.count / 2])
            }
        }
        return summary
    }
}

extension CellResult.Run {
    fileprivate mutating func shorten(for row: RowInfo, isMedian: Bool) {
        started = nil
        for (name, value) in figures where name != row.figure {
            figures[name] = isMedian ? Self.rounded(value) : nil
        }
        if let mean = latency?.mean { latency?.mean = Self.rounded(mean) }
        if !isMedian || row.measure != .latency { latency?.curve = [] }
        if !isMedian { timeline = nil }
    }

    /// To four significant digits.
    private static func rounded(_ value: Double) -> Double { Double(String(format: "%.4g", value)) ?? value }
}
