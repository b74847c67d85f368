internal import Foundation

@testable import heartwood_bench

/// How fast the engines are in the invented results.
enum SamplePace {
    private static func factor(_ engine: String, _ factors: [String: Double]) -> Double { factors[engine] ?? 1 }

    static func level(_ row: RowInfo, _ engine: String) -> Double {
        switch row.group {
        case "durable": durable(engine, Double(row.workers))
        case "reading", "values", "growth", "heartwood": reading(row, engine)
        case "recovery":
            factor(engine, ["heartwood": 0.19, "rocksdb": 4.25, "leveldb": 1.06, "lmdb": 0.0004, "sqlite": 0.3])
        case "compaction":
            1e6 * factor(engine, ["heartwood": 0.97, "rocksdb": 6, "leveldb": 240, "lmdb": 3.5, "sqlite": 900])
        case "memory": factor(engine, ["heartwood": 34, "rocksdb": 61, "leveldb": 12, "lmdb": 3.1, "sqlite": 9])
        case "amplification":
            row.id == "write-amplification"
                ? factor(engine, ["heartwood": 1.88, "rocksdb": 2.58, "leveldb": 6.41, "lmdb": 41, "sqlite": 35])
                : factor(engine, ["heartwood": 1.49, "rocksdb": 1.13, "leveldb": 1.1, "lmdb": 1.6, "sqlite": 1.3])
        default: writing(row, engine)
        }
    }

    private static func durable(_ engine: String, _ workers: Double) -> Double {
        let one = 5_200.0
        switch engine {
        case "heartwood": return min(one * pow(workers, 0.88), 665_000) * (workers > 2_000 ? 0.8 : 1)
        case "heartwood-threads": return min(one * pow(workers, 0.82), 210_000) * (workers > 2_000 ? 0.5 : 1)
        case "rocksdb": return min(one * 0.9 * pow(workers, 0.5), 47_000)
        case "leveldb": return min(one * 0.95 * pow(workers, 0.6), 76_000)
        case "lmdb": return one * 0.55
        case "sqlite": return one * 0.31
        default: return one * 1.08 * pow(workers, 0.99)
        }
    }

    private static func reading(_ row: RowInfo, _ engine: String) -> Double {
        let base =
            row.id.hasPrefix("fill") || row.id.contains("-fill")
            ? writing(row, engine)
            : 800_000
                * factor(
                    engine,
                    [
                        "heartwood-mapped": 1.7, "rocksdb": 0.27, "leveldb": 0.75, "lmdb": 1.25, "sqlite": 0.22,
                        "raw": 40,
                    ])
        let size = 1 / (1 + Double(row.valueBytes) / 9_000)
        let growth = row.group == "growth" ? pow(Double(row.keys) / 1_000_000, engine == "heartwood" ? -0.12 : -0.3) : 1
        return base * size * growth * (row.id.contains("seq") || row.id.contains("reverse") ? 22 : 1)
    }

    private static func writing(_ row: RowInfo, _ engine: String) -> Double {
        let base =
            1_100_000 * factor(engine, ["rocksdb": 0.17, "leveldb": 0.34, "lmdb": 0.15, "sqlite": 0.03, "raw": 2.6])
        let isRandom = row.workload != "fillseq"
        let isBatch = row.id.contains("batch")
        let isBlocking = row.promise == .survivesProcessDeath && engine == "heartwood" && !isBatch && row.workers == 1
        return base * (isRandom ? 1 : 1.4) * (isBatch ? 1.6 : 1) * (isBlocking && row.group == "writing" ? 0.25 : 1)
    }

    static func damage(_ engine: String, killed: Bool, shift: Int) -> DamageResult {
        let (refused, lost, wrong, crashed, hung) =
            switch engine {
            case "heartwood": (killed ? 905 : 982, 0, 0, 0, 0)
            case "rocksdb": (killed ? 610 : 870, killed ? 240 : 3, 0, 2, 0)
            case "leveldb": (killed ? 320 : 540, killed ? 510 : 88, 9, 4, 1)
            case "lmdb": (41, 120, 560, 190, 12)
            default: (210, 85, 480, 0, 0)
            }
        return DamageResult(
            changes: 1_000, refused: refused - min(shift, refused),
            harmless: 1_000 - refused - lost - wrong - crashed - hung
                + min(shift, refused), lost: lost, wrong: wrong, crashed: crashed, hung: hung)
    }
}
