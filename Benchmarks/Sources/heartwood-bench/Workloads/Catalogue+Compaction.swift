extension Catalogue {
    static let compaction: [any Workload] =
        OverwrittenData.allCases.map(overwriting) + latency + besideCompaction + reopening + costs
        + ofPeers(.compaction)

    private static func overwriting(_ data: OverwrittenData) -> any Workload {
        OverwriteAmplification(
            data,
            targets: [
                .atMost(2.5, .writtenAByte), .atMostTimes(1, .writtenAByte, of: "\(data.name)-rocksdb"),
                .atMost(4, .peakOfPairs), .atMost(4, .peakOfRecords),
                .atMost(data == .small ? 1.5 : 1.1, .compactedOfPairs),
            ])
    }

    private static let latency: [any Workload] = [
        PaceFloor(),
        PutLatency(name: "put-latency", title: "200,000 .buffered puts a second, no compaction", compacting: .never),
        PutLatency(
            name: "put-latency-compacting", title: "200,000 .buffered puts a second, compactions back to back",
            compacting: .backToBack, targets: [.latency999(1_000_000), .atMost(0, .unexplainedStalls)]),
    ]

    private static let besideCompaction: [any Workload] = [
        BufferedPuts(
            name: "buffered-1-alone", title: ".buffered puts that overwrite, one task, no compaction",
            group: .compaction, tasks: 1, overwrites: true, compacting: .never),
        BufferedPuts(
            name: "buffered-1-compacting", title: ".buffered puts that overwrite, one task, compactions back to back",
            group: .compaction, tasks: 1, overwrites: true, compacting: .backToBack,
            targets: [.times(0.6, of: ["buffered-1-alone"])]),
    ]

    private static let reopening: [any Workload] = [
        ReopeningCompacted(name: "reopen-compacted", title: "opening, compacted and closed (keys)"),
        ReopeningCompacted(
            name: "large-reopen-compacted", title: "opening, compacted and closed, ten times as many (keys)", scale: 10,
            targets: [
                .within(seconds: 0.6, operations: 10_000_000), .atMostTimes(1.3, .openingAKey, of: "reopen-compacted"),
            ]),
    ]

    private static let costs: [any Workload] = [
        WriteCost(
            name: "write-cost-small", title: ".buffered puts that overwrite, a tenth of the keys, compacted by itself",
            part: 10),
        WriteCost(
            name: "write-cost-large",
            title: ".buffered puts that overwrite, ten times the keys, compacted by itself", scale: 10,
            targets: [
                .atMostTimes(1.2, .writtenAPut, of: "write-cost-small"),
                .atMostTimes(3.5, .processorAPut, of: "write-cost-small"),
            ]),
    ]
}
