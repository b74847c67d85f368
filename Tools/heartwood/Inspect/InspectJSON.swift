internal import HeartwoodFormat
internal import HeartwoodInspection

/// A survey as one JSON object: all of it, except the single records.
struct InspectJSON {
    let survey: StoreSurvey
    let names: StoredKeyText
    /// Whether it includes the maps of the files.
    var hasMaps = true

    var object: JSONText {
        [
            "path": survey.path, "verdict": survey.verdict.rawValue, "isFile": survey.isFile, "opens": survey.opens,
            "storeID": survey.storeID?.description, "holder": survey.holder, "end": survey.end?.rawValue,
            "totals": totals, "files": survey.files.map(file), "others": survey.others,
            "findings": survey.findings.map { $0.json(names) }, "advice": InspectAdvice.lines(survey),
        ]
    }

    // MARK: - Files

    private func file(_ file: FileSurvey) -> JSONText {
        var json: JSONText = [
            "name": file.name, "path": file.path, "role": file.role.rawValue,
            "kind": file.kind.map { $0 == .log ? "log" : "snapshot" }, "size": file.size,
            "header": file.header.map(Self.header), "counts": file.counts, "isHeaderDamaged": file.isHeaderDamaged,
            "sequences": file.sequences.map(Self.range), "times": file.times.map(Self.range),
            "commits": file.commits, "marks": file.marks, "batches": file.batches,
            "records": Self.records(file.records), "bytes": Self.bytes(file.bytes), "recordedEnd": file.recordedEnd,
            "end": file.end, "torn": file.torn.map(Self.part), "damagedParts": file.damagedParts.map(Self.part),
            "mapWidth": file.mapWidth,
        ]
        if hasMaps { json.add("map", file.map.map(Self.bytes)) }
        return json
    }

    private static func header(_ header: FileHeader) -> JSONText {
        let predecessor: JSONText? = header.predecessor.map {
            ["salt": $0.salt, "lastSequence": $0.lastSequence, "endOffset": $0.endOffset]
        }
        return [
            "version": header.version, "storeID": header.storeID.description, "salt": header.salt,
            "firstSequence": header.firstSequence, "predecessor": predecessor, "created": header.creationTime,
        ]
    }

    private static func records(_ counts: RecordCounts) -> JSONText {
        [
            "all": counts.all, "puts": counts.puts, "expiringPuts": counts.expiringPuts, "deletes": counts.deletes,
            "optional": counts.optional,
        ]
    }

    private static func bytes(_ bytes: ByteCounts) -> JSONText {
        [
            "live": bytes.live, "dead": bytes.dead, "format": bytes.format, "torn": bytes.torn,
            "corrupt": bytes.corrupt, "free": bytes.free,
        ]
    }

    private static func range(_ range: ClosedRange<UInt64>) -> JSONText {
        ["first": range.lowerBound, "last": range.upperBound]
    }

    private static func part(_ part: Range<UInt64>) -> JSONText { ["from": part.lowerBound, "to": part.upperBound] }

    // MARK: - Totals

    private var totals: JSONText {
        let (totals, spans) = (survey.totals, survey.totals.timeline.spans)
        let timeline: JSONText = [
            "start": totals.timeline.start, "width": totals.timeline.width, "commits": spans.map(\.commits),
            "records": spans.map(\.records), "bytes": spans.map(\.bytes),
        ]
        return [
            "keys": totals.keys, "isEstimated": totals.isEstimated, "sampledShare": totals.sampledShare,
            "lastSequence": totals.lastSequence, "bytes": Self.bytes(totals.bytes),
            "records": Self.records(totals.records), "commits": totals.commits, "batches": totals.batches,
            "keyBytes": totals.keyBytes, "valueBytes": totals.valueBytes,
            "compressedRecords": totals.compressedRecords, "compressedBytes": totals.compressedBytes,
            "inflatedBytes": totals.inflatedBytes, "keySizes": Self.histogram(totals.keySizes),
            "valueSizes": Self.histogram(totals.valueSizes), "largestKeys": totals.largestKeys.map(large),
            "largestValues": totals.largestValues.map(large), "now": survey.now, "timeAhead": survey.timeAhead / 1_000,
            "expiring": totals.expiring, "expired": totals.expired, "expiry": totals.expiry.map(Self.range),
            "prefixes": totals.prefixes.flatMap(prefixes),
            "repositories": (totals.prefixes?.sections ?? []).map { group($0, hasPrefix: true) },
            "timeline": timeline, "replaceableBytes": totals.replaceableBytes,
            "compactedBytes": totals.compactedBytes, "compactionGain": totals.compactionGain,
        ]
    }

    /// The buckets that aren't empty: from, to (inclusive), and how many records.
    private static func histogram(_ histogram: PowerHistogram) -> [JSONText] {
        histogram.counts.enumerated().filter { $0.element > 0 }.map { bucket, count in
            let from: UInt64 = bucket == 0 ? 0 : 1 << UInt64(bucket - 1)
            let to: UInt64 = bucket == 0 ? 0 : .max >> UInt64(64 - bucket)
            return ["from": from, "to": to, "records": count]
        }
    }

    private func large(_ record: LargeRecord) -> JSONText {
        var json = JSONText()
        json.add("key", record.key)
        names.add(record.key, nil, to: &json)
        json.add(["keyBytes": record.key.count, "valueBytes": record.valueBytes])
        json.add(known: ["sequence": record.sequence])
        json.add(["file": record.file, "offset": record.offset])
        return json
    }

    /// nil without '--by-prefix'.
    private func prefixes(_ prefixes: PrefixSurvey) -> JSONText? {
        guard !prefixes.selection.separators.isEmpty else { return nil }
        return [
            "separators": prefixes.separators,
            "groups": prefixes.groupsAndSections.map { group($0, hasPrefix: true) },
            "withoutSeparator": prefixes.withoutSeparator.map { group($0, hasPrefix: false) },
            "others": prefixes.others.map { group($0, hasPrefix: false) },
        ]
    }

    private func group(_ group: PrefixGroup, hasPrefix: Bool) -> JSONText {
        var json = JSONText()
        if hasPrefix {
            json.add("prefix", group.prefix)
            names.add(group: group.prefix, to: &json)
        }
        json.add([
            "keys": group.keys, "keyBytes": group.keyBytes, "valueBytes": group.valueBytes,
            "liveBytes": group.liveBytes, "deadRecords": group.deadRecords, "deadBytes": group.deadBytes,
            "largestValue": group.largestValue.map(large), "longestKey": group.longestKey.map(large),
        ])
        return json
    }
}
