internal import HeartwoodFormat
internal import HeartwoodInspection

/// A survey as one JSON object: all of it, except the single records.
struct InspectJSON {
    let survey: StoreSurvey
    let names: StoredKeyText
    /// Whether it includes the maps of the files.
    var hasMaps = true

    var object: JSONText {
        var json = JSONText()
        json.add("path", survey.path)
        json.add("verdict", survey.verdict.rawValue)
        json.add("isFile", survey.isFile)
        json.add("opens", survey.opens)
        json.addOptional("storeID", survey.storeID?.description)
        json.addOptional("holder", survey.holder)
        json.addOptional("end", survey.end?.rawValue)
        json.add("totals", totals)
        json.add("files", survey.files.map(file))
        json.add("others", survey.others)
        json.add("findings", survey.findings.map { $0.json(names) })
        json.add("advice", InspectAdvice.lines(survey))
        return json
    }

    // MARK: - Files

    private func file(_ file: FileSurvey) -> JSONText {
        var json = JSONText()
        json.add("name", file.name)
        json.add("path", file.path)
        json.add("role", file.role.rawValue)
        json.addOptional("kind", file.kind.map { $0 == .log ? "log" : "snapshot" })
        json.add("size", file.size)
        json.addOptional("header", file.header.map(Self.header))
        json.add("counts", file.counts)
        json.add("isHeaderDamaged", file.isHeaderDamaged)
        json.addOptional("sequences", file.sequences.map(Self.range))
        json.addOptional("times", file.times.map(Self.range))
        json.add("commits", file.commits)
        json.add("marks", file.marks)
        json.add("batches", file.batches)
        json.add("records", Self.records(file.records))
        json.add("bytes", Self.bytes(file.bytes))
        json.addOptional("recordedEnd", file.recordedEnd)
        json.add("end", file.end)
        json.addOptional("torn", file.torn.map(Self.part))
        json.add("damagedParts", file.damagedParts.map(Self.part))
        json.add("mapWidth", file.mapWidth)
        if hasMaps { json.add("map", file.map.map(Self.bytes)) }
        return json
    }

    private static func header(_ header: FileHeader) -> JSONText {
        var json = JSONText()
        json.add("version", header.version)
        json.add("storeID", header.storeID.description)
        json.add("salt", header.salt)
        json.add("firstSequence", header.firstSequence)
        json.addOptional(
            "predecessor",
            header.predecessor.map { predecessor in
                var json = JSONText()
                json.add("salt", predecessor.salt)
                json.add("lastSequence", predecessor.lastSequence)
                json.add("endOffset", predecessor.endOffset)
                return json
            })
        json.add("created", header.creationTime)
        return json
    }

    private static func records(_ counts: RecordCounts) -> JSONText {
        var json = JSONText()
        json.add("all", counts.all)
        json.add("puts", counts.puts)
        json.add("expiringPuts", counts.expiringPuts)
        json.add("deletes", counts.deletes)
        json.add("optional", counts.optional)
        return json
    }

    private static func bytes(_ bytes: ByteCounts) -> JSONText {
        var json = JSONText()
        json.add("live", bytes.live)
        json.add("dead", bytes.dead)
        json.add("format", bytes.format)
        json.add("torn", bytes.torn)
        json.add("corrupt", bytes.corrupt)
        json.add("free", bytes.free)
        return json
    }

    private static func range(_ range: ClosedRange<UInt64>) -> JSONText {
        var json = JSONText()
        json.add("first", range.lowerBound)
        json.add("last", range.upperBound)
        return json
    }

    private static func part(_ part: Range<UInt64>) -> JSONText {
        var json = JSONText()
        json.add("from", part.lowerBound)
        json.add("to", part.upperBound)
        return json
    }

    // MARK: - Totals

    private var totals: JSONText {
        let totals = survey.totals
        var json = JSONText()
        json.add("keys", totals.keys)
        json.add("isEstimated", totals.isEstimated)
        json.add("sampledShare", totals.sampledShare)
        json.add("lastSequence", totals.lastSequence)
        json.add("bytes", Self.bytes(totals.bytes))
        json.add("records", Self.records(totals.records))
        json.add("commits", totals.commits)
        json.add("batches", totals.batches)
        json.add("keyBytes", totals.keyBytes)
        json.add("valueBytes", totals.valueBytes)
        json.add("compressedRecords", totals.compressedRecords)
        json.add("compressedBytes", totals.compressedBytes)
        json.add("inflatedBytes", totals.inflatedBytes)
        json.add("keySizes", Self.histogram(totals.keySizes))
        json.add("valueSizes", Self.histogram(totals.valueSizes))
        json.add("largestKeys", totals.largestKeys.map(large))
        json.add("largestValues", totals.largestValues.map(large))
        json.add("now", survey.now)
        json.add("timeAhead", survey.timeAhead / 1_000)
        json.add("expiring", totals.expiring)
        json.add("expired", totals.expired)
        json.addOptional("expiry", totals.expiry.map(Self.range))
        json.addOptional("prefixes", totals.prefixes.flatMap(prefixes))
        json.add("repositories", (totals.prefixes?.sections ?? []).map { group($0, hasPrefix: true) })
        json.add("timeline", timeline)
        json.add("replaceableBytes", totals.replaceableBytes)
        json.add("compactedBytes", totals.compactedBytes)
        json.add("compactionGain", totals.compactionGain)
        return json
    }

    /// The buckets that aren't empty: from, to (inclusive), and how many records.
    private static func histogram(_ histogram: PowerHistogram) -> [JSONText] {
        histogram.counts.enumerated().filter { $0.element > 0 }.map { bucket, count in
            var json = JSONText()
            json.add("from", bucket == 0 ? 0 : UInt64(1) << UInt64(bucket - 1))
            json.add("to", bucket == 0 ? 0 : UInt64.max >> UInt64(64 - bucket))
            json.add("records", count)
            return json
        }
    }

    private func large(_ record: LargeRecord) -> JSONText {
        var json = JSONText()
        json.add("key", record.key)
        names.add(record.key, nil, to: &json)
        json.add("keyBytes", record.key.count)
        json.add("valueBytes", record.valueBytes)
        json.add("sequence", record.sequence)
        json.add("file", record.file)
        json.add("offset", record.offset)
        return json
    }

    /// nil without '--by-prefix'.
    private func prefixes(_ prefixes: PrefixSurvey) -> JSONText? {
        guard !prefixes.selection.separators.isEmpty else { return nil }
        var json = JSONText()
        json.add("separators", prefixes.separators)
        json.add("groups", prefixes.groupsAndSections.map { group($0, hasPrefix: true) })
        json.addOptional("withoutSeparator", prefixes.withoutSeparator.map { group($0, hasPrefix: false) })
        json.addOptional("others", prefixes.others.map { group($0, hasPrefix: false) })
        return json
    }

    private func group(_ group: PrefixGroup, hasPrefix: Bool) -> JSONText {
        func record(_ record: PrefixGroup.Record) -> JSONText {
            var json = JSONText()
            json.add("key", record.key)
            names.add(record.key, nil, to: &json)
            json.add("keyBytes", record.key.count)
            json.add("valueBytes", record.valueBytes)
            json.add("file", record.file)
            json.add("offset", record.offset)
            return json
        }
        var json = JSONText()
        if hasPrefix {
            json.add("prefix", group.prefix)
            names.add(group: group.prefix, to: &json)
        }
        json.add("keys", group.keys)
        json.add("keyBytes", group.keyBytes)
        json.add("valueBytes", group.valueBytes)
        json.add("liveBytes", group.liveBytes)
        json.add("deadRecords", group.deadRecords)
        json.add("deadBytes", group.deadBytes)
        json.addOptional("largestValue", group.largestValue.map(record))
        json.addOptional("longestKey", group.longestKey.map(record))
        return json
    }

    private var timeline: JSONText {
        let timeline = survey.totals.timeline
        var json = JSONText()
        json.add("start", timeline.start)
        json.add("width", timeline.width)
        json.add("commits", timeline.spans.map(\.commits))
        json.add("records", timeline.spans.map(\.records))
        json.add("bytes", timeline.spans.map(\.bytes))
        return json
    }
}

extension JSONText {
    fileprivate mutating func addOptional(_ name: String, _ value: String?) {
        if let value { add(name, value) } else { addNull(name) }
    }

    fileprivate mutating func addOptional(_ name: String, _ value: (some BinaryInteger)?) {
        if let value { add(name, value) } else { addNull(name) }
    }

    fileprivate mutating func addOptional(_ name: String, _ value: JSONText?) {
        if let value { add(name, value) } else { addNull(name) }
    }
}
