/// Every workload, in the order of the report.
enum Catalogue {
    static let all: [any Workload] =
        harness + durable + unsynced + opening + reading + beside + scanning + large + memory + compaction

    /// The engines that Heartwood is compared with, as built.
    static var peers: [PeerDescription] {
        #if PEERS
        PeerCatalogue.descriptions
        #else
        []
        #endif
    }

    /// The workloads of these names and groups, in the order of the report, with those that they are compared with.
    ///
    /// - Parameters:
    ///   - names: Names and groups; nil for all that is measured by default.
    ///   - alone: Whether to leave out what was not asked for. The raw loop goes with every durable workload even then.
    /// - Throws: `UnknownWorkload`.
    static func select(_ names: [String]?, alone: Bool) throws -> [any Workload] {
        for name in names ?? [] {
            guard WorkloadGroup(rawValue: name) != nil || all.contains(where: { $0.name == name }) else {
                throw UnknownWorkload(name: name)
            }
        }
        let chosen = all.filter { workload in
            names.map { $0.contains(workload.name) || $0.contains(workload.group.rawValue) }
                ?? workload.group.isByDefault
        }
        var wanted = Set(chosen.map(\.name))
        if !alone { wanted.formUnion(chosen.flatMap(comparedWith)) }
        if chosen.contains(where: { $0.group == .durable }) { wanted.insert(RawLoop.name) }
        return all.filter { wanted.contains($0.name) }
    }

    /// What its targets name, and the same of other engines.
    private static func comparedWith(_ workload: any Workload) -> [String] {
        workload.targets.flatMap(\.comparedWith) + all.filter { $0.baseline == workload.name }.map(\.name)
    }

    /// A name that stands for no workload.
    struct UnknownWorkload: Error, CustomStringConvertible {
        let name: String
        var description: String {
            "there is no workload '\(name)': choose from \(Catalogue.names.joined(separator: ", "))"
                + (Catalogue.peers.isEmpty ? "; those of other engines need HEARTWOOD_PEERS=1 or 'run --peers'" : "")
        }
    }

    /// What can be chosen.
    static var names: [String] { all.map(\.name) + WorkloadGroup.allCases.map(\.rawValue) }

    /// The workloads of other engines in a group; none where they aren't built.
    static func ofPeers(_ group: WorkloadGroup) -> [any Workload] {
        #if PEERS
        PeerCatalogue.workloads.filter { $0.group == group }
        #else
        []
        #endif
    }
}

/// What the report says of another engine.
struct PeerDescription: Sendable, Codable {
    /// As in the names of workloads.
    var id: String
    /// As people call it.
    var title: String
    var version: String
}
