/// The measurements of a soak as a picture.
package enum SoakPicture {
    package static func draw(_ run: SoakRun) -> String {
        let samples = run.samples
        func mebibytes(_ name: String, _ value: (SoakSample) -> Int?) -> [TimelineSVG.Series] {
            [.init(name, samples.compactMap { sample in value(sample).map { (sample.time, Double($0) / 1_048_576) } })]
        }
        let latencies = samples.flatMap { $0.latencies.compactMap { $0 } }
        // One axis for all durabilities, so that they can be compared.
        let range = (latencies.map(\.p50).min() ?? 1e-5)...max(1e-2, latencies.map(\.maximum).max() ?? 0)
        var panels = [
            TimelineSVG.Panel("Memory of the process", unit: "MiB", mebibytes("resident") { $0.memory }),
            TimelineSVG.Panel("Files of the store", unit: "MiB", mebibytes("on disk") { $0.disk }),
        ]
        for (number, name) in ["synced: on the disk", "written: in the kernel", "buffered: in memory"].enumerated() {
            func points(_ value: (SoakSample.Latency) -> Double) -> [(time: Double, value: Double)] {
                samples.compactMap { sample in sample.latencies[number].map { (sample.time, value($0)) } }
            }
            panels.append(
                TimelineSVG.Panel(
                    "How long puts took, \(name)", unit: "", isLogarithmic: true, range: range,
                    [
                        .init("p50", points(\.p50)), .init("p99", points(\.p99)), .init("p99.9", points(\.p999)),
                        .init("longest", points(\.maximum), isPeak: true),
                    ]))
        }
        let summary = run.summary
        let compactions = run.marks.filter { $0.kind == .compaction }
        let reopenings = run.marks.filter { $0.kind != .compaction }
        return TimelineSVG(
            title: "Soak: \(run.seconds) seconds of mixed use, seed \(run.seed)",
            subtitle: "\(summary.writes) keys written, \(summary.reads) read, \(summary.compactions) compactions, "
                + "\(summary.closed + summary.dropped) reopenings; a sample each second",
            duration: max(Double(run.seconds), samples.last?.time ?? 0), panels: panels,
            marks: [.init("compactions", compactions.map(\.time)), .init("reopenings", reopenings.map(\.time))]
        ).text
    }
}
