import ArgumentParser
import ClusterSupport
import Foundation
import HeartwoodEtcd
import HeartwoodRepository
import KeyValueStore

/// Compares `EtcdStore` with a minimal client on the same servers.
@main
struct ClusterBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster-benchmark",
        abstract: "Compares EtcdStore with a minimal client on the same gRPC library and the same server.",
        discussion: """
            Start it with Tools/cluster, from a release build. Both clients use one connection to the first server, \
            keys and values of the same length, and linearizable reads. They take turns in short rounds, so that both \
            meet the same machine. Printed are the median of the rounds, the lowest and the highest, the CPU time of \
            this process for a call, and how the rate of EtcdStore compares: 1.00 is as fast.

            A commit of EtcdStore is a transaction with one comparison and two puts, which makes its outcome known \
            after a lost answer. "put if" is the minimal client's transaction with one comparison and one put.

              swift build -c release --package-path Tests/Cluster --product cluster-benchmark
              Tools/cluster Tests/Cluster/.build/release/cluster-benchmark
            """)

    @Option(help: "How many rounds; one more isn't measured.") var rounds = 9
    @Option(help: "Seconds that each client has in a round.") var seconds = 0.5
    @Option(help: "Bytes of a value.") var valueBytes = 100
    @Option(help: "Measure only rows whose name contains this text.") var only = ""
    @Flag(help: "Print JSON, with the rate of each round.") var json = false

    func validate() throws {
        guard rounds > 0, seconds > 0, valueBytes >= 0 else {
            throw ValidationError("--rounds and --seconds must be more than 0, and --value-bytes at least 0")
        }
    }

    func run() async throws {
        guard TestCluster.isThere else {
            throw ValidationError("there are no servers: start it with Tools/cluster, see --help")
        }
        var configuration = TestCluster.configuration()
        configuration.endpoints = [configuration.endpoints[0]]
        let store = try await EtcdStore.open(configuration)
        // As long as the store's prefix and the letter that it adds.
        let minimal = try MinimalClient(configuration.endpoints[0], prefix: configuration.prefix + [0])
        let towns = try await store.repository(Town.definition)
        let rows = rows(store, minimal, towns).filter { only.isEmpty || $0.name.contains(only) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await minimal.run() }
            defer { minimal.stop() }
            var results: [RowResult] = []
            for row in rows {
                let result = try await row.measure(rounds: rounds, seconds: seconds)
                if !json { print(result.text) }
                fflush(nil)
                results.append(result)
            }
            if json {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
                print(String(decoding: try encoder.encode(results), as: UTF8.self))
            }
        }
        await store.close()
    }

    private func rows(_ store: EtcdStore, _ minimal: MinimalClient, _ towns: Repository<Town>) -> [Row] {
        let value = [UInt8](repeating: 7, count: valueBytes)
        let commits: [Client] = [
            Client(name: "EtcdStore") { key, _ in
                try await store.write(.init(operations: [.init(key: key, value: value)]), durability: nil)
            },
            Client(name: "put") { key, _ in try await minimal.put(key, value) },
            Client(name: "put if") { key, _ in try await minimal.putIf(key, value) },
        ]
        let reads: [Client] = [
            Client(name: "EtcdStore") { key, _ in
                let read = try await store.fetchEntry(key)?.value
                precondition(read == value)
            },
            Client(name: "range") { key, _ in
                let read = try await minimal.get(key)
                precondition(read == value)
            },
        ]
        let inserts = Client(name: "Repository") { _, number in try await towns.insert(Town(id: number)) }
        let updates = Client(name: "Repository") { _, number in
            try await towns.update(0) { $0.name = "town \(-number)" }
        }
        return [
            Row(name: "commits, 1 task", tasks: 1, clients: commits),
            Row(name: "reads, 1 task", tasks: 1, clients: reads),
            Row(name: "commits, 256 tasks", tasks: 256, clients: commits),
            Row(name: "reads, 256 tasks", tasks: 256, clients: reads),
            Row(name: "inserts with two indexes, 1 task", tasks: 1, clients: [inserts]),
            Row(name: "updates by id, 1 task", tasks: 1, clients: [updates]),
        ]
    }
}

private struct Town: Codable, Identifiable, Sendable {
    var id: Int
    var name: String
    var country: String

    init(id: Int) { (self.id, name, country) = (id, "town \(id)", "country \(id % 200)") }

    static let definition = RepositoryDefinition<Town>(
        "towns", indexes: [.unique("name", \.name), Index("country", \.country)])
}
