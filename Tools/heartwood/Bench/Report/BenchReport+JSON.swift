extension BenchReport {
    var json: JSONText {
        var json = JSONText()
        json.add("directory", path)
        if let disk { json.add("fileSystem", disk.name) } else { json.addNull("fileSystem") }
        json.add("secondsPerFigure", plan.options.seconds)
        json.add("records", plan.options.records)
        json.add("keyBytes", BenchKey.byteCount)
        json.add("valueBytes", plan.options.valueBytes)
        json.add("complete", isComplete)
        json.add("seconds", seconds)
        json.add("warnings", warnings)
        json.add("figures", measurements.map { object(for: $0) })
        return json
    }

    private func object(for measurement: Measurement) -> JSONText {
        var json = JSONText()
        json.add("name", measurement.figure.name)
        json.add("unit", measurement.figure.unit)
        json.add("perSecond", measurement.perSecond)
        json.add("count", measurement.operations)
        json.add("seconds", measurement.seconds)
        if let times = timesRaw(measurement) { json.add("timesRaw", times) }
        if let latencies = measurement.latencies {
            var summary = JSONText()
            for (name, perMille) in [("p50", 500), ("p99", 990), ("p999", 999)] {
                summary.add(name, latencies.value(perMille: perMille))
            }
            summary.add("max", latencies.maximum)
            json.add("latencyNanoseconds", summary)
        }
        return json
    }
}
