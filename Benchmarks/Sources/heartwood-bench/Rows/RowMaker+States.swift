extension RowMaker {
    /// Opening after a kill.
    var recovery: [Row] {
        // As many records as fit in the usual write buffers of RocksDB and LevelDB, 64 MiB, so that all of them are in
        // the log without a setting that no application uses. LMDB has no log; SQLite checkpoints its log at 4 MB.
        let logged = min(parameters.keys, 200_000)
        return [
            row(
                "recovery-log", "recovery", group: "recovery",
                "opening after a kill, all of \(Numbers.grouped(logged)) records in the log",
                .recover(Recovering(rounds: 1)), [.heartwood, .rocksdb, .leveldb], keys: logged, measure: .seconds,
                fixture: .filledKilled, copies: true, plans: Self.always),
            row(
                "recovery-default", "recovery", group: "recovery",
                "opening after a kill, default settings, every key put twice", .recover(Recovering(rounds: 2)),
                [.heartwood] + Self.peers, measure: .seconds, fixture: .overwrittenKilled, copies: true, runs: 2),
            row(
                "open-compacted", "open", group: "recovery", "opening after a close, everything compacted",
                .recover(Recovering(rounds: 1)), [.heartwood] + Self.peers, measure: .seconds, fixture: .compacted,
                copies: true, runs: 2),
        ]
    }

    /// Latency of writes that are offered at a fixed rate, over time.
    ///
    /// Values and times are large enough that Heartwood's log exceeds 256 MiB, at which compaction starts by default.
    var compaction: [Row] {
        let rate = 40_000
        return [
            row(
                "compaction-latency", "overwrite", group: "compaction",
                "\(Numbers.grouped(rate)) puts of 1,000 bytes a second to random keys of a full store, four writers",
                .pace(PacedWriting(rate: rate)), [.heartwood, .heartwoodThreads] + Self.peers,
                promise: .survivesProcessDeath, workers: 4, keys: max(1_000, parameters.keys / 4), valueBytes: 1_000,
                measure: .latency, fixture: .compacted, copies: true, seconds: parameters.plan == .full ? 4 : 8,
                runs: 2)
        ]
    }

    /// Memory of the process.
    var memory: [Row] {
        [
            row(
                "memory", "memory", group: "memory", "memory of the process after as many random gets as keys",
                .remember(Remembering()), [.heartwood, .heartwoodMapped] + Self.peers, measure: .figure,
                figure: .memoryBytesPerKey, fixture: .compacted, runs: 1, plans: Self.always)
        ]
    }

    /// What overwriting costs the disk: two figures of the same work.
    var amplification: [Row] {
        let title = "every key of a full store overwritten ten times, in random order"
        let work = Work.amplify(Amplifying(patience: [.quick: 3, .default: 8, .full: 20][parameters.plan] ?? 10))
        return [Figure.writeAmplification, .spaceAmplification].map { figure in
            let name = figure == .writeAmplification ? "write-amplification" : "space-amplification"
            var row = row(
                name, "overwrite", group: "amplification",
                "\(title): \(figure.title)", work, [.heartwood] + Self.peers, promise: .survivesProcessDeath,
                keys: parameters.plan == .quick ? parameters.keys / 2 : nil, measure: .figure, figure: figure,
                fixture: .compacted, copies: true, runs: 1, plans: Self.always)
            row.source = figure == .writeAmplification ? nil : "write-amplification"
            return row
        }
    }

    /// What an engine does with a changed byte.
    var damage: [Row] {
        let work = Work.damage(Damaging(changes: parameters.plan == .full ? 1_000 : 250))
        let states: [(String, Fixture.State, String)] = [
            ("closed", .smallClosed, "a store that was closed"), ("killed", .smallKilled, "a store that was killed"),
        ]
        return states.flatMap { name, state, title in
            [false, true].map { isParanoid in
                row(
                    "damage-\(name)\(isParanoid ? "-checked" : "")", "damage", group: "damage",
                    "one changed byte in the files of \(title)\(isParanoid ? ", with all checks on" : "")", work,
                    isParanoid ? [.heartwood, .rocksdb, .leveldb] : [.heartwood, .heartwoodMapped] + Self.peers,
                    promise: .survivesPowerLoss, keys: DamageStore.keys, measure: .damage,
                    use: EngineUse(isParanoid: isParanoid), fixture: state, runs: 1)
            }
        }
    }
}
