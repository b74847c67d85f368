internal import Heartwood

extension Catalogue {
    static let harness: [any Workload] = [
        HarnessLoop(name: "harness-put", title: "the loop of puts, without a store", kind: .put),
        HarnessLoop(name: "harness-get", title: "the loop of gets, without a store", kind: .get),
    ]

    /// Long enough to turn to new segments several times, where there is more than a trickle.
    private static let rotations: UInt64 = 4

    static let durable: [any Workload] =
        [RawLoop()] + [
            synced(1, [.timesRaw(0.75)]),
            synced(8, []),
            synced(64, [.timesRaw(15), .times(4, of: ["synced-64-leveldb", "synced-64-rocksdb"])], rotations),
            synced(256, [.timesRaw(25), .times(6, of: ["synced-256-leveldb", "synced-256-rocksdb"])], rotations),
            synced(1_024, [.timesRaw(30), .perSecond(700_000)], rotations),
            synced(4_096, [.perSecond(700_000)], rotations),
        ] + ofPeers(.durable)

    private static func synced(_ tasks: Int, _ targets: [Target], _ rotations: UInt64 = 0) -> TimedPuts {
        TimedPuts(
            name: "synced-\(tasks)",
            title: tasks == 1 ? ".synced, one task" : ".synced, \(Numbers.grouped(tasks)) tasks",
            group: .durable, durability: .synced, tasks: tasks, targets: targets, neededRotations: rotations)
    }

    static let unsynced: [any Workload] =
        [
            BufferedPuts(
                name: "buffered-1", title: ".buffered puts, one task", tasks: 1,
                targets: [
                    .perSecond(1_500_000), .times(6, of: ["buffered-1-leveldb"]),
                    .times(10, of: ["buffered-1-rocksdb"]),
                ]),
            TimedPuts(
                name: "written-1", title: ".written puts, one task", group: .unsynced, durability: .written, tasks: 1),
            BufferedPuts(
                name: "buffered-8", title: ".buffered puts, eight tasks together", tasks: 8,
                targets: [.perSecond(1_500_000)]),
            TimedPuts(
                name: "written-8", title: ".written puts, eight tasks together", group: .unsynced,
                durability: .written, tasks: 8),
            Insertions(name: "insert-1", title: ".buffered puts of new keys only, one task"),
            BufferedBatches(),
        ] + ofPeers(.unsynced)
}
