internal import Heartwood

/// Every workload, in the order of the report.
enum Catalogue {
    static let all: [any Workload] =
        [RawLoop()] + durable + [
            TimedPuts(
                name: "written-1", title: ".written puts, one task", group: .unsynced, durability: .written, tasks: 1,
                target: nil),
            BufferedPuts(
                name: "buffered-1", title: ".buffered puts, one task", tasks: 1, target: .perSecond(500_000)),
            BufferedPuts(
                name: "buffered-8", title: ".buffered puts, eight tasks together", tasks: 8,
                target: .perSecond(400_000)),
            BufferedBatches(),
            Reopening(name: "reopen-closed", title: "after close() (records)", ending: .closed),
            Reopening(name: "reopen-dropped", title: "dropped without close() (records)", ending: .dropped),
            Gets(name: "get", title: "get, random keys, one thread", form: .array),
            Gets(name: "get-span", title: "withValue, random keys, one thread", form: .span),
            Scans(),
            GetsWhileWriting(),
        ]

    private static let durable: [any Workload] = [(1, 0.75), (64, 15.0), (256, 25.0), (1024, 30.0)].map {
        (tasks: Int, wanted: Double) in
        TimedPuts(
            name: "synced-\(tasks)", title: tasks == 1 ? "one task" : "\(Numbers.grouped(tasks)) tasks",
            group: .durable, durability: .synced, tasks: tasks, target: .timesRaw(wanted))
    }

    /// The workloads of these names and groups; the raw loop goes with every durable one.
    ///
    /// - Throws: `UnknownWorkload`.
    static func select(_ names: [String]) throws -> [any Workload] {
        for name in names {
            guard WorkloadGroup(rawValue: name) != nil || all.contains(where: { $0.name == name }) else {
                throw UnknownWorkload(name: name)
            }
        }
        let chosen = all.filter { names.contains($0.name) || names.contains($0.group.rawValue) }
        if chosen.contains(where: { $0.group == .durable }), !chosen.contains(where: { $0.name == RawLoop.name }) {
            return [RawLoop()] + chosen
        }
        return chosen
    }

    /// A name that stands for no workload.
    struct UnknownWorkload: Error, CustomStringConvertible {
        let name: String
        var description: String {
            "there is no workload '\(name)': choose from \(Catalogue.names.joined(separator: ", "))"
        }
    }

    /// What can be chosen.
    static var names: [String] { all.map(\.name) + WorkloadGroup.allCases.map(\.rawValue) }
}
