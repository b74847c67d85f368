extension RowMaker {
    /// Opening after a kill.
    var recovery: [Row] {
        [
            // LMDB has no log.
            row(
                "recovery-log", "recovery", group: "recovery", "opening after a kill, every record in the log",
                .recover(Recovering(rounds: 1)), [.heartwood] + Self.peers.filter { $0 != .lmdb }, measure: .seconds,
                fixture: .killedLog, copies: true, contents: .random, plans: Self.always),
            row(
                "recovery-default", "recovery", group: "recovery",
                "opening after a kill, as the engine comes, every key put twice", .recover(Recovering(rounds: 2)),
                [.heartwood] + Self.peers, measure: .seconds, fixture: .killedOverwritten, copies: true, runs: 2),
            row(
                "open-compacted", "open", group: "recovery", "opening after a close, everything compacted",
                .recover(Recovering(rounds: 1)), [.heartwood] + Self.peers, measure: .seconds, fixture: .compacted,
                copies: true, runs: 2),
        ]
    }

    /// Latency of writes that are offered at a rate, over time.
    var compaction: [Row] {
        let rate = 40_000
        return [
            row(
                "compaction-latency", "overwrite", group: "compaction",
                "\(Numbers.grouped(rate)) puts a second to random keys of a full store, four writers, over time",
                .pace(PacedWriting(rate: rate)), [.heartwood, .heartwoodThreads] + Self.peers,
                promise: .survivesProcessDeath, workers: 4,
                measure: .latency, fixture: .compacted, copies: true, seconds: 5, runs: 2)
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

    /// What overwriting costs the disk. One work, two figures.
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

    /// What becomes of a changed byte.
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
                    use: EngineUse(isParanoid: isParanoid), fixture: state,
                    runs: 1)
            }
        }
    }
}
