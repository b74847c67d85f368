extension RowMaker {
    private var readers: [EngineID] { [.heartwood, .heartwoodMapped] + Self.peers + [.raw] }

    /// Reads of a store that nobody writes to.
    var reading: [Row] {
        [
            row(
                "readrandom", "readrandom", group: "reading", "get of random keys, one thread", .get(Getting()),
                readers,
                fixture: .compacted, plans: Self.always),
            row(
                "readmissing", "readmissing", group: "reading", "get of keys that aren't there",
                .get(Getting(isPresent: false)), readers, fixture: .compacted),
            row(
                "readrandom-2", "readrandom", group: "reading", "get of random keys, two threads", .get(Getting()),
                readers, workers: 2, fixture: .compacted),
        ]
    }
}
