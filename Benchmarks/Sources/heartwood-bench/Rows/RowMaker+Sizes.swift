extension RowMaker {
    private var writers: [EngineID] { [.heartwood] + Self.peers + [.raw] }

    /// Few, because there are many sizes.
    private var runsOfSizes: Int { parameters.plan == .full ? 2 : 1 }

    /// Puts and gets by the size of values. Larger values have fewer keys.
    var values: [Row] {
        let most = parameters.plan == .full ? 128 << 20 : 64 << 20
        let sizes = [
            ("v16", 16, "16 B"), ("v100", 100, "100 B"), ("v1k", 1_024, "1 KiB"), ("v16k", 16_384, "16 KiB"),
            ("v1m", 1 << 20, "1 MiB"),
        ]
        return sizes.flatMap { name, bytes, title in
            let keys = max(16, min(parameters.keys / 4, most / (bytes + Dataset.keyBytes)))
            return [
                row(
                    "fillrandom-\(name)", "fillrandom", group: "values", "puts of values of \(title)",
                    .write(Writing(kind: .fill)), writers, promise: .survivesProcessDeath, keys: keys,
                    valueBytes: bytes, runs: runsOfSizes),
                row(
                    "readrandom-\(name)", "readrandom", group: "values", "gets of values of \(title)", .get(Getting()),
                    readers, keys: keys, valueBytes: bytes, fixture: .compacted, runs: runsOfSizes),
            ]
        }
    }

    /// Documents, without compression and with it.
    var json: [Row] {
        [false, true].map { compresses in
            row(
                "json-\(compresses ? "compressed" : "plain")", "fillrandom", group: "json",
                "puts of JSON documents, compression \(compresses ? "on" : "off")",
                .write(Writing(kind: .fill, measuresDisk: true)),
                compresses ? [.heartwood, .rocksdb, .leveldb] : [.heartwood] + Self.peers,
                promise: .survivesProcessDeath, keys: max(1_000, parameters.keys / 4), valueBytes: 700,
                figure: .diskBytesPerPayloadByte, use: EngineUse(compresses: compresses), contents: .json,
                runs: runsOfSizes)
        }
    }

    /// The same work in small and in large stores.
    var growth: [Row] {
        let sizes = [
            ("100k", 100_000, "100 thousand"), ("1m", 1_000_000, "1 million"), ("10m", 10_000_000, "10 million"),
        ]
        return sizes.flatMap { name, keys, title in
            let isLarge = keys > 1_000_000
            // The largest stores take 15 minutes with these.
            let excluded: Set<EngineID> = isLarge ? [.sqlite, .grdb, .raw] : []
            let plans: Set<PlanName> = isLarge ? [.full] : Self.unlessQuick
            return [
                row(
                    "growth-fill-\(name)", "fillrandom", group: "growth", "puts into an empty store, \(title) keys",
                    .write(Writing(kind: .fill, patience: 1_000)), writers.filter { !excluded.contains($0) },
                    promise: .survivesProcessDeath, keys: keys, seconds: 0.5, runs: isLarge ? 1 : runsOfSizes,
                    plans: plans),
                row(
                    "growth-read-\(name)", "readrandom", group: "growth", "gets of random keys, \(title) keys",
                    .get(Getting()), readers.filter { !excluded.contains($0) }, keys: keys, fixture: .compacted,
                    runs: isLarge ? 1 : runsOfSizes, plans: plans),
            ]
        }
    }
}
