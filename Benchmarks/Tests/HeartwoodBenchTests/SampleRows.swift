@testable import heartwood_bench

/// The rows that the invented results have: those of the real ones.
enum SampleRows {
    static let all = durable + writing + reading + others

    private static var durable: [RowInfo] {
        [1, 8, 64, 256, 1024, 4096].map { workers in
            row(
                "fillsync-\(workers)", "fillsync", "durable", "each put waits for the disk, \(workers) at a time",
                .survivesPowerLoss, workers: workers)
        }
    }

    private static var writing: [RowInfo] {
        let names = [
            ("fillseq", "puts in the order of keys"), ("fillrandom", "puts in random order"),
            ("fillbatch", "batches of 1,000 in random order"), ("overwrite", "puts of keys that are there"),
            ("deleterandom", "removals in random order"), ("fillrandom-8", "puts in random order"),
            ("overwrite-8", "puts of keys that are there"), ("fillbatch-8", "batches of 1,000"),
        ]
        return names.map { id, title in
            row(id, workload(id), "writing", title, .survivesProcessDeath, workers: id.hasSuffix("-8") ? 8 : 1)
        }
            + names.prefix(4).map { id, title in
                row(id + "-buffered", id, "writing", title, .mayLoseLastMoments)
            }
    }

    private static var reading: [RowInfo] {
        [
            ("readrandom", "random keys that are there"), ("readmissing", "keys that are not there"),
            ("readseq", "all records in order"), ("readreverse", "all records backwards"),
            ("seekrandom", "a random place, and ten records from there"), ("readrandom-2", "random keys, two readers"),
            ("readwhilewriting", "random keys beside a writer"),
        ].map { id, title in row(id, workload(id), "reading", title, nil, workers: id.hasSuffix("-2") ? 2 : 1) }
            + ["a", "b", "c", "d", "e", "f"].map { letter in
                row("ycsb-\(letter)", "ycsb-\(letter)", "ycsb", "YCSB workload \(letter)", .survivesProcessDeath)
            }
    }

    private static var others: [RowInfo] {
        let sizes = [("16", 16), ("100", 100), ("1k", 1_024), ("16k", 16_384), ("1m", 1_048_576)]
        let values = sizes.flatMap { name, bytes in
            [
                row(
                    "fillrandom-v\(name)", "fillrandom", "values", "puts of \(bytes) bytes", .survivesProcessDeath,
                    value: bytes),
                row("readrandom-v\(name)", "readrandom", "values", "gets of \(bytes) bytes", nil, value: bytes),
            ]
        }
        let growth = [("100k", 100_000), ("1m", 1_000_000), ("10m", 10_000_000)].flatMap { name, keys in
            [
                row(
                    "growth-fill-\(name)", "growth-fill", "growth", "puts into \(name)", .survivesProcessDeath,
                    keys: keys),
                row("growth-read-\(name)", "growth-read", "growth", "gets among \(name)", nil, keys: keys),
            ]
        }
        return values + [
            row("json-plain", "json", "json", "documents as they are", .survivesProcessDeath, value: 800),
            row("json-compressed", "json", "json", "documents, compressed", .survivesProcessDeath, value: 800),
            row("recovery-log", "recovery", "recovery", "from a log alone", nil, measure: .seconds),
            row("recovery-default", "recovery", "recovery", "as the engine leaves it", nil, measure: .seconds),
            row(
                "compaction-latency", "compaction", "compaction", "200,000 puts a second are due", .mayLoseLastMoments,
                measure: .latency),
        ] + growth + [
            row("memory", "memory", "memory", "bytes of memory a key", nil, measure: .figure, figure: "memoryPerKey"),
            row(
                "write-amplification", "overwrite", "amplification", "bytes written by bytes put",
                .survivesProcessDeath,
                measure: .figure, figure: "writeAmplification"),
            row(
                "space-amplification", "overwrite", "amplification", "bytes on the disk by live bytes",
                .survivesProcessDeath,
                measure: .figure, figure: "spaceAmplification"),
            row("damage-closed", "damage", "damage", "a store that was closed", nil, keys: 10_000, measure: .damage),
            row("damage-killed", "damage", "damage", "a store that was killed", nil, keys: 10_000, measure: .damage),
            row("scan-keys", "readseq", "heartwood", "keys alone, in order", nil),
            row("get-together", "readrandom", "heartwood", "16 keys in one call", nil),
        ]
    }

    private static func row(
        _ id: String, _ workload: String, _ group: String, _ title: String, _ promise: Promise?, workers: Int = 1,
        keys: Int = 1_000_000, value: Int = 100, measure: RowInfo.Measure = .rate, figure: String? = nil
    ) -> RowInfo {
        RowInfo(
            id: id, workload: workload, group: group, title: title, promise: promise, workers: workers, keys: keys,
            valueBytes: value, measure: measure, figure: figure)
    }

    private static func workload(_ id: String) -> String { String(id.prefix { $0 != "-" }) }

    /// Whether this engine has this row.
    static func runs(_ row: RowInfo, _ engine: String) -> Bool {
        switch engine {
        case "heartwood": true
        case "heartwood-mapped": row.promise == nil && ["reading", "values", "growth"].contains(row.group)
        case "heartwood-threads": row.group == "durable"
        case "raw": row.group == "durable" || ["fillseq", "fillbatch", "readseq"].contains(row.id)
        default:
            row.group != "heartwood" && row.promise != .mayLoseLastMoments
                && !(row.id == "json-compressed" && !["rocksdb", "leveldb"].contains(engine))
                && !(row.keys > 1_000_000 && ["sqlite", "grdb"].contains(engine))
                || row.group == "compaction"
        }
    }
}
