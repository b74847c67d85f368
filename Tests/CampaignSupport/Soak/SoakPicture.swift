/// What a soak has measured, as a picture.
package enum SoakPicture {
    package static func draw(_ run: SoakRun) -> String {
        let samples = run.samples
        func series(_ name: String, _ value: (SoakSample) -> Int?) -> TimelineSVG.Series {
            TimelineSVG.Series(
                name, samples.compactMap { sample in value(sample).map { (sample.time, Double($0) / 1_048_576) } })
        }
        let latencies = samples.flatMap { $0.latencies.compactMap { $0 } }
        // The same axis for all three, so that they can be compared.
        let range = (latencies.map(\.p50).min() ?? 1e-5)...max(1e-2, latencies.map(\.maximum).max() ?? 0)
        let classes = ["synced: on the disk", "written: in the kernel", "buffered: in memory"]
        let panels = classes.enumerated().map { number, name in
            func percentile(
                _ name: String, isPeak: Bool = false, _ value: (SoakSample.Latency) -> Double
            ) -> TimelineSVG.Series {
                TimelineSVG.Series(
                    name,
                    samples.compactMap { sample in sample.latencies[number].map { (sample.time, value($0)) } },
                    isPeak: isPeak)
            }
            return TimelineSVG.Panel(
                "How long puts took, \(name)", unit: "", isLogarithmic: true, range: range,
                [
                    percentile("p50", \.p50), percentile("p99", \.p99), percentile("p99.9", \.p999),
                    percentile("longest", isPeak: true, \.maximum),
                ])
        }
        func times(_ kinds: SoakRun.Mark.Kind...) -> [Double] {
            run.marks.filter { kinds.contains($0.kind) }.map(\.time)
        }
        let summary = run.summary
        return TimelineSVG(
            title: "Soak: \(run.seconds) seconds of mixed use, seed \(run.seed)",
            subtitle: "\(grouped(summary.writes)) keys written, \(grouped(summary.reads)) read, "
                + "\(summary.compactions) compactions, "
                + "\(summary.closed + summary.dropped) reopenings; a sample each second",
            duration: max(Double(run.seconds), samples.last?.time ?? 0),
            panels: [
                TimelineSVG.Panel("Memory of the process", unit: "MiB", [series("resident") { $0.memory }]),
                TimelineSVG.Panel("Files of the store", unit: "MiB", [series("on disk") { $0.disk }]),
            ] + panels,
            marks: [
                TimelineSVG.Marks("compactions", times(.compaction)),
                TimelineSVG.Marks("reopenings", times(.closed, .dropped), areLines: true),
            ]
        ).text
    }

    /// "1,234,567"
    private static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        return digits.indices.map { index in
            (index > 0 && (digits.count - index) % 3 == 0 ? "," : "") + String(digits[index])
        }.joined()
    }
}
