internal import Heartwood

/// The result of a load.
struct LoadSummary {
    let records: Int
    let bytes: Int
    let seconds: Double
    let skippedLines: Int
    let durability: DurabilityLevel
    let lastSequence: SequenceNumber
    /// Whether all of the input was loaded, except lines that were left out.
    let isComplete: Bool

    var text: String {
        let rate = Numbers.grouped(Int(Double(records) / max(seconds, 1e-6)))
        var text = "loaded \(Numbers.count(records, "record")) (\(Numbers.bytes(bytes))) in \(Numbers.time(seconds)): "
        text += "\(rate) records/s, \(durability.rawValue)"
        if skippedLines > 0 { text += "; \(Numbers.count(skippedLines, "bad line")) left out" }
        if !isComplete { text += "; the input was not loaded to its end" }
        return text
    }

    var json: JSONText {
        let rate = Int(Double(records) / max(seconds, 1e-6))
        return [
            "records": records, "bytes": bytes, "seconds": seconds, "recordsPerSecond": rate,
            "durability": durability.rawValue, "lastSequence": lastSequence, "skippedLines": skippedLines,
            "complete": isComplete,
        ]
    }
}
