import Foundation
public import HeartwoodEtcd
import KeyValueStore

/// The servers that `Tools/cluster` has started.
public enum TestCluster {
    /// Why tests are skipped.
    public static let hint: String = "there are no servers: run the tests with Tools/cluster"

    /// The servers; none without `Tools/cluster`.
    public static let endpoints: [EtcdStore.Configuration.Endpoint] = {
        let text = ProcessInfo.processInfo.environment["HEARTWOOD_ETCD_ENDPOINTS"] ?? ""
        return text.split(separator: ",").compactMap { EtcdStore.Configuration.Endpoint(String($0)) }
    }()

    /// Whether there are servers.
    public static var isThere: Bool { !endpoints.isEmpty }

    /// The configuration of a new store, which no other test uses.
    public static func configuration() -> EtcdStore.Configuration {
        var configuration = EtcdStore.Configuration(endpoints: endpoints, prefix: "test-\(UUID().uuidString)/")
        // Many tests run at the same time, maybe on a busy machine.
        (configuration.deadline, configuration.attemptTimeout) = (.seconds(240), .seconds(30))
        // Clocks of tests stand still, while etcd's go on.
        configuration.expiryMargin = .seconds(3_600)
        return configuration
    }

    /// Runs `etcdctl` on the servers, or on one.
    ///
    /// - Returns: What it prints.
    @discardableResult
    public static func control(
        _ arguments: [String], at servers: [EtcdStore.Configuration.Endpoint] = endpoints
    ) throws -> String {
        try run(["etcdctl", "--endpoints", servers.map(\.description).joined(separator: ",")] + arguments)
    }
}

/// Runs a command.
///
/// - Returns: What it prints.
@discardableResult
public func run(_ command: [String]) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["ETCDCTL_API=3"] + command
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
}
