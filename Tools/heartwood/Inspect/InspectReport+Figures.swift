internal import Heartwood
internal import HeartwoodInspection

/// The bytes by kind, and figures of the records.
extension InspectReport {
    var bytes: [String] {
        let bytes = survey.totals.bytes
        var table = TextTable([.left, .right, .right, .left])
        let kinds: [(String, UInt64, Style.Paint?)] = [
            ("live", bytes.live, .green), ("dead", bytes.dead, nil), ("format", bytes.format, nil),
            ("torn", bytes.torn, .yellow), ("corrupt", bytes.corrupt, .red), ("free", bytes.free, nil),
        ]
        for (name, count, paint) in kinds where count > 0 {
            let isGuess = survey.totals.isEstimated && (name == "live" || name == "dead")
            table.add([
                .init(name), .init((isGuess ? "about " : "") + Numbers.bytes(count)),
                .init(InspectWords.share(count, of: bytes.all)),
                .init(InspectWords.bar(count, of: bytes.all, columns: 50), paint),
            ])
        }
        return section("Bytes of all files", table.lines(style))
    }

    var records: [String] {
        let (totals, records) = (survey.totals, survey.totals.records)
        var table = TextTable([.left, .right, .left])
        let kinds: [(String, UInt64)] = [
            ("put", records.puts), ("put with expiry", records.expiringPuts), ("delete", records.deletes),
            ("optional", records.optional),
        ]
        for (name, count) in kinds where count > 0 {
            table.add([
                .init(name), .init(Numbers.grouped(count)), .init(InspectWords.share(count, of: records.all)),
            ])
        }
        var lines = table.lines(style)
        lines.append("  keys take \(Numbers.bytes(totals.keyBytes)), values \(Numbers.bytes(totals.valueBytes))")
        if totals.compressedRecords > 0 {
            let gained = totals.inflatedBytes - min(totals.inflatedBytes, totals.compressedBytes)
            lines.append(
                "  compressed are \(Numbers.count(totals.compressedRecords, "value")): "
                    + "\(Numbers.bytes(totals.inflatedBytes)) take \(Numbers.bytes(totals.compressedBytes)), "
                    + "\(InspectWords.share(gained, of: totals.inflatedBytes)) gained")
        }
        return section("Records", lines)
    }

    /// Two histograms, side by side.
    var sizes: [String] {
        let keys = histogram(survey.totals.keySizes.counts)
        let values = histogram(survey.totals.valueSizes.counts)
        let width = (keys.map(\.count).max() ?? 0) + 4
        var lines = ["  keys" + String(repeating: " ", count: max(2, width - 6)) + "  values, as they are stored"]
        for row in 0..<max(keys.count, values.count) {
            let left = row < keys.count ? keys[row] : ""
            let right = row < values.count ? values[row] : ""
            let blanks = right.isEmpty ? "" : String(repeating: " ", count: width - left.count)
            lines.append(left + blanks + right)
        }
        return section("Sizes in bytes, and how many records have them", lines)
    }

    private func histogram(_ counts: [UInt64]) -> [String] {
        guard let first = counts.firstIndex(where: { $0 > 0 }) else { return [] }
        let most = counts.max() ?? 0
        var table = TextTable([.right, .right, .left])
        for bucket in first..<counts.count {
            let bar = InspectWords.bar(counts[bucket], of: most, columns: 20)
            table.add([
                .init(InspectWords.sizes(ofBucket: bucket)), .init(Numbers.grouped(counts[bucket])), .init(bar),
            ])
        }
        return table.lines(.plain)
    }

    var largest: [String] {
        let totals = survey.totals
        // If all keys are short, the longest ones are not interesting.
        let keys = totals.largestKeys.filter { $0.key.count >= 64 }.prefix(5)
        let values = totals.largestValues.filter { $0.valueBytes > 0 }.prefix(5)
        guard !keys.isEmpty || !values.isEmpty else { return [] }
        var table = TextTable([.right, .right, .left, .right, .left])
        table.add(["value", "key", "file", "offset", "key"].map { .init($0, .dim) })
        for record in Array(values) + keys.filter({ !values.contains($0) }) {
            table.add([
                .init(Numbers.bytes(record.valueBytes)), .init(Numbers.bytes(record.key.count)),
                .init(InspectWords.text(Array(record.file.utf8), columns: 40)), .init(Numbers.grouped(record.offset)),
                .init(names.text(record.key, columns: 40)),
            ])
        }
        return section("Largest values\(keys.isEmpty ? "" : ", and longest keys")", table.lines(style))
    }

    var expiry: [String] {
        let totals = survey.totals
        guard totals.records.expiringPuts > 0 else { return [] }
        var lines: [String] = []
        if let range = totals.expiry {
            lines.append(
                "  \(about)\(Numbers.count(totals.expiring, "key expires", "keys expire")): the next "
                    + "\(InspectWords.moment(range.lowerBound)) UTC, "
                    + "the last \(InspectWords.moment(range.upperBound)) UTC"
            )
        } else {
            lines.append("  no existing key expires")
        }
        if totals.expired > 0 {
            lines.append(
                "  \(about)\(Numbers.count(totals.expired, "key has", "keys have")) expired already, and "
                    + "\(totals.expired == 1 ? "goes" : "go") with the next compaction")
        }
        return section("Expiry", lines)
    }
}
