extension RowMaker {
    /// Durable writes by the number of writers.
    var durable: [Row] {
        [1, 8, 64, 256, 1_024, 4_096].map { writers in
            // In engines with one writer at a time, more writers only wait in a queue: they are measured up to 64.
            let engines = EngineID.allCases.filter {
                $0 != .heartwoodMapped && !$0.hasOnlyRecords && !$0.hasOnlyJobs
                    && (writers <= 64 || !($0.hasOneWriter || $0 == .raw))
            }
            return row(
                "fillsync-\(writers)", "fillsync", group: "durable",
                writers == 1 ? "durable puts, one writer" : "durable puts, \(Numbers.grouped(writers)) writers",
                .write(Writing(kind: .endless)), engines, promise: .survivesPowerLoss, workers: writers,
                plans: [8, 256, 4_096].contains(writers) ? Self.unlessQuick : Self.always)
        }
    }

    private var writers: [EngineID] { [.heartwood, .heartwoodThreads] + Self.peers + [.raw] }
    private var bufferedWriters: [EngineID] { [.heartwood, .heartwoodThreads, .rocksdb, .raw] }

    /// Writes that don't wait for the disk.
    var writing: [Row] {
        let survives = Promise.survivesProcessDeath
        let fill = Work.write(Writing(kind: .fill))
        let batches = Work.write(Writing(kind: .fill, batch: 1_000))
        let overwrite = Work.write(Writing(kind: .overwrite))
        var rows = [
            row(
                "fillseq", "fillseq", group: "writing", "every key once, in order", fill, writers, promise: survives,
                order: .ascending, runs: 2),
            row(
                "fillrandom", "fillrandom", group: "writing", "every key once, in random order", fill, writers,
                promise: survives, plans: Self.always),
            row(
                "fillbatch", "fillbatch", group: "writing", "every key once, in batches of 1,000 (records)", batches,
                writers, promise: survives, plans: Self.always),
            row(
                "overwrite", "overwrite", group: "writing", "random keys of a full store", overwrite, writers,
                promise: survives, fixture: .compacted, copies: true, plans: Self.always),
            row(
                "deleterandom", "deleterandom", group: "writing", "removal of every key, in random order",
                .write(Writing(kind: .remove)), writers, promise: survives, fixture: .compacted, copies: true, runs: 2),
        ]
        for (name, work) in [("fillrandom", fill), ("fillbatch", batches), ("overwrite", overwrite)] {
            let fixture: Fixture.State? = name == "overwrite" ? .compacted : nil
            rows.append(
                row(
                    "\(name)-8", name, group: "writing", "\(name), eight writers", work, writers, promise: survives,
                    workers: 8, fixture: fixture, copies: fixture != nil, runs: 2))
            for workers in [1, 8] {
                rows.append(
                    row(
                        "\(name)\(workers == 1 ? "" : "-8")-buffered", name, group: "writing",
                        "\(name)\(workers == 1 ? "" : ", eight writers")", work, bufferedWriters,
                        promise: .mayLoseLastMoments, workers: workers, fixture: fixture, copies: fixture != nil,
                        runs: 2, plans: workers == 1 && name == "fillrandom" ? Self.always : Self.unlessQuick))
            }
        }
        return rows
    }
}
