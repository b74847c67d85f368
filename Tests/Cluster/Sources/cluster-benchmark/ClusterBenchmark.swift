import ArgumentParser
import ClusterSupport
import HeartwoodEtcd
import KeyValueStore

/// Compares `EtcdStore` with a minimal client, in turns, so that both meet the same machine.
@main
struct ClusterBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster-benchmark",
        abstract: "Compares EtcdStore with a minimal client on the same gRPC library. Run it with Tools/cluster.")

    @Option(help: "How often each measurement is made; the medians are compared.") var rounds = 5
    @Option(help: "How many calls one task makes in a measurement; with 256 tasks a tenth each.") var calls = 500

    func run() async throws {
        guard TestCluster.isThere else { throw ValidationError("there are no servers: use Tools/cluster") }
        var configuration = TestCluster.configuration()
        // Both use one server, the same.
        configuration.endpoints = Array(configuration.endpoints.prefix(1))
        let store = try await EtcdStore.open(configuration)
        configuration.prefix += Array("minimal/".utf8)
        let minimal = try MinimalClient(configuration)
        let value = [UInt8](repeating: 7, count: 100)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await minimal.run() }
            for tasks in [1, 256] {
                try await compare("puts", tasks) { key in
                    try await store.commit(.init(operations: [.init(key: key, value: value)]), durability: nil)
                } with: { key in
                    try await minimal.put(key, value)
                }
                try await compare("linearizable reads", tasks) { key in
                    _ = try await store.fetchEntry(key)
                } with: { key in
                    _ = try await minimal.get(key)
                }
            }
            minimal.stop()
        }
        await store.close()
    }

    /// Prints calls a second of both, and how they compare.
    private func compare(
        _ name: String, _ tasks: Int, _ call: @escaping @Sendable ([UInt8]) async throws -> Void,
        with minimal: @escaping @Sendable ([UInt8]) async throws -> Void
    ) async throws {
        var (own, other) = ([Double](), [Double]())
        for round in 0..<rounds + 1 {
            let times = (try await rate(tasks, call), try await rate(tasks, minimal))
            // The first round connects, and creates slots.
            if round == 0 { continue }
            own.append(times.0)
            other.append(times.1)
        }
        let (median, least) = (own.sorted()[rounds / 2], other.sorted()[rounds / 2])
        let ratio = (median / least * 100).rounded() / 100
        print("\(name), \(tasks) tasks: EtcdStore \(Int(median))/s, minimal client \(Int(least))/s, ratio \(ratio)")
    }

    private func rate(_ tasks: Int, _ call: @escaping @Sendable ([UInt8]) async throws -> Void) async throws -> Double {
        let each = tasks == 1 ? calls : max(1, calls / 10)
        let time = try await ContinuousClock().measure {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<tasks {
                    group.addTask {
                        for number in 0..<each {
                            try await call([UInt8(task), UInt8(number % 250), UInt8(number / 250)])
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        return Double(tasks * each) / (time / .seconds(1))
    }
}
