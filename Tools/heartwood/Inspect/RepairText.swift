internal import Heartwood
internal import HeartwoodFormat
internal import HeartwoodInspection

/// The report of a repair, as text and as JSON.
struct RepairText {
    let path: String
    let report: RepairReport
    private let names: StoredKeyText

    init(path: String, report: RepairReport) {
        (self.path, self.report) = (path, report)
        let keys = report.losses.lazy.flatMap { loss in
            loss.keys + loss.perhapsKeys + [loss.keyRange?.lower, loss.keyRange?.upper].compactMap(\.self)
        }
        names = StoredKeyText(naming: keys, filesAt: report.output ?? path)
    }

    /// `--json` has all of them.
    private static let mostLosses = 50

    func text(_ style: Style) -> String {
        var lines: [String] = []
        for loss in report.losses.prefix(Self.mostLosses) {
            let label = loss.isProven ? style("lost   ", .red) : style("perhaps", .yellow)
            lines.append(label + " " + text(loss))
        }
        let more = UInt64(max(0, report.losses.count - Self.mostLosses)) + report.lossesNotListed
        if more > 0 { lines.append("… and \(Numbers.grouped(more)) more: see '--json'") }
        lines += leftOut.map { style("note   ", .dim) + " " + Escaping.line($0) }
        lines.append(summary(style))
        lines.append(contentsOf: next)
        return lines.joined(separator: "\n")
    }

    private func text(_ loss: RepairReport.Loss) -> String {
        var text = ""
        if let numbers = loss.sequences {
            if !loss.isExact {
                text += "writes from number \(numbers.lowerBound) on, if there were any: "
            } else if numbers.lowerBound == numbers.upperBound {
                text += "write number \(numbers.lowerBound): "
            } else {
                text += "writes number \(numbers.lowerBound) to \(numbers.upperBound): "
            }
        }
        text += Escaping.line(loss.what)
        if let file = loss.file, let offset = loss.offset {
            text += ", \(Escaping.text(Array(file.utf8))) at \(offset), \(Numbers.count(loss.length, "byte"))"
        }
        if let cause = loss.cause { text += Escaping.line(" (\(cause))") }
        if let range = loss.keyRange { text += names.clause(range) }
        return text + names.clause(loss.keys, perhaps: loss.perhapsKeys)
    }

    /// How much is accounted for. It says "nothing is lost" only if that is proven.
    private func state(_ style: Style) -> String {
        switch report.certainty {
        case .complete: return style("nothing is lost", .green)
        case .incomplete: return style("not everything is there", .red)
        case .unknownAfter(let file, let offset):
            return style("nothing that is known to have been durable is lost", .green)
                + "; whether more was written after \(Escaping.text(Array(file.utf8))) at \(offset), "
                + "the files can't tell"
        }
    }

    /// What the files contain but the repair leaves out, or brings back only in part.
    private var leftOut: [String] {
        var lines: [String] = []
        for source in report.sources {
            switch source.use {
            case .used, .covered, .leftOver: break
            case .numberedByName:
                lines.append(
                    "only the name of \(source.name) tells the numbers of its writes: if it was renamed, "
                        + "older values may replace newer ones"
                )
            case .foreign:
                lines.append(
                    "\(source.name) is of another store\(source.storeID.map { " (\($0))" } ?? ""), and left out")
            case .otherHistory:
                lines.append(
                    "\(source.name) has the same numbers as another file: a copy was written to; it is left out")
            case .unreadable: lines.append("\(source.name) contains nothing that verifies")
            }
        }
        if report.batchesLeftOut > 0 {
            lines.append(
                "of \(Numbers.count(report.batchesLeftOut, "batch", "batches")) only a part is left: "
                    + "'--keep-partial' keeps that"
            )
        }
        if report.partialBatches > 0 {
            lines.append("of \(Numbers.count(report.partialBatches, "batch", "batches")) what is left is kept")
        }
        if report.batchesBehindTear > 0 {
            lines.append(
                "\(Numbers.count(report.batchesBehindTear, "batch", "batches")) after a torn part, which an opening "
                    + "would skip, are brought back"
            )
        }
        if report.olderValues > 0 {
            lines.append(
                "for \(Numbers.count(report.olderValues, "key")) whose record in the snapshot is lost, "
                    + "an older value is used"
            )
        }
        return lines
    }

    private func summary(_ style: Style) -> String {
        let verb = report.output == nil ? "would be brought back" : "brought back"
        var parts: [String] = []
        if let sequence = report.snapshotSequence {
            parts.append("\(Numbers.count(report.snapshotKeys, "key")) as of number \(Numbers.grouped(sequence))")
        }
        if report.batches > 0 || parts.isEmpty {
            parts.append(
                "\(Numbers.count(report.batches, "batch", "batches")) of \(Numbers.count(report.records, "record"))")
        }
        return "\(Escaping.text(Array(path.utf8))): \(parts.joined(separator: ", and ")) \(verb), "
            + "up to number \(Numbers.grouped(report.lastSequence)); \(state(style))"
    }

    private var next: [String] {
        guard let output = report.output else {
            return ["nothing was written: '--output DIRECTORY' writes the new store, '--in-place' replaces this one"]
        }
        var lines = [
            "the new store is verified, in \(Escaping.text(Array(output.utf8))), \(Numbers.bytes(report.bytes))"
        ]
        if let aside = report.movedTo {
            lines.append("the old files are in \(Escaping.text(Array(aside.utf8))): keep them until you are sure")
        }
        return lines
    }

    var json: JSONText {
        var json: JSONText = ["path": path, "complete": report.isComplete]
        if case .unknownAfter(let file, let offset) = report.certainty {
            json.add("unknownAfter", ["file": file, "offset": offset] as JSONText)
        }
        json.add("output", report.output)
        json.add(known: [
            "movedTo": report.movedTo, "storeID": report.storeID?.description,
            "snapshotSequence": report.snapshotSequence,
        ])
        json.add([
            "snapshotKeys": report.snapshotKeys, "batches": report.batches, "records": report.records,
            "partialBatches": report.partialBatches, "batchesLeftOut": report.batchesLeftOut,
            "batchesBehindTear": report.batchesBehindTear, "olderValues": report.olderValues,
            "lastSequence": report.lastSequence, "highestSequence": report.highestSequence, "bytes": report.bytes,
            "sources": report.sources.map(Self.json), "losses": report.losses.map(json(_:)),
            "lossesNotListed": report.lossesNotListed,
        ])
        return json
    }

    private static func json(_ source: RepairReport.Source) -> JSONText {
        var json: JSONText = ["name": source.name, "use": source.use.rawValue, "size": source.size]
        json.add(known: ["storeID": source.storeID?.description])
        return json
    }

    private func json(_ loss: RepairReport.Loss) -> JSONText {
        var json: JSONText = ["what": loss.what]
        json.add(known: ["file": loss.file, "offset": loss.offset])
        json.add(["length": loss.length, "proven": loss.isProven])
        if let numbers = loss.sequences {
            json.add("firstLost", numbers.lowerBound)
            json.add("lastLost", loss.isExact ? numbers.upperBound : nil)
        }
        json.add(known: [
            "keysAfter": loss.keyRange?.lower.map { names.json([$0]) },
            "keysBefore": loss.keyRange?.upper.map { names.json([$0]) }, "cause": loss.cause?.description,
        ])
        if !loss.keys.isEmpty { json.add("keys", names.json(loss.keys)) }
        if !loss.perhapsKeys.isEmpty { json.add("perhapsKeys", names.json(loss.perhapsKeys)) }
        return json
    }
}
