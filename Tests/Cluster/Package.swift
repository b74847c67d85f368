// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that neither Heartwood's users nor Tests/Integrations build gRPC. 'Tools/cluster' starts the
// servers and runs the tests; without them the tests are skipped.

var settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
if Context.environment["HEARTWOOD_WARNINGS_AS_ERRORS"] == "1" { settings.append(.treatAllWarnings(as: .error)) }

func products(_ names: String..., of package: String) -> [Target.Dependency] {
    names.map { .product(name: $0, package: package) }
}

let engine = products("HeartwoodEtcd", "HeartwoodRepository", "KeyValueStore", of: "heartwood")
let cluster: [Target.Dependency] = engine + ["ClusterSupport"]

let package = Package(
    name: "heartwood-cluster",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "heartwood", path: "../..", traits: ["Etcd"]),
        .package(url: "https://github.com/apple/swift-nio", from: "2.96.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.38.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.38.0", traits: []),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.0"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.0"),
        .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.0"),
    ],
    targets: [
        .target(
            name: "ClusterSupport", dependencies: engine + products("NIOCore", "NIOPosix", of: "swift-nio"),
            swiftSettings: settings),
        // Concurrent clients while servers and networks fail, and the checks of what they saw.
        .executableTarget(
            name: "cluster-campaign",
            dependencies: cluster + products("HeartwoodTesting", of: "heartwood")
                + products("ArgumentParser", of: "swift-argument-parser"),
            swiftSettings: settings),
        // EtcdStore and a minimal client, with links to the messages and to the answers to pings of HeartwoodEtcd.
        .executableTarget(
            name: "cluster-benchmark",
            dependencies: cluster + products("ArgumentParser", of: "swift-argument-parser")
                + products("GRPCCore", of: "grpc-swift-2")
                + products("GRPCNIOTransportHTTP2Posix", of: "grpc-swift-nio-transport")
                + products("GRPCProtobuf", of: "grpc-swift-protobuf")
                + products("NIOCore", of: "swift-nio") + products("NIOHTTP2", of: "swift-nio-http2")
                + products("SwiftProtobuf", of: "swift-protobuf"),
            swiftSettings: settings + [.define("Etcd")]),
        // Of the checks, which need no server.
        .testTarget(
            name: "HistoryCheckingTests",
            dependencies: ["cluster-campaign"] + products("HeartwoodTesting", of: "heartwood"),
            swiftSettings: settings),
        .testTarget(
            name: "HeartwoodEtcdTests",
            dependencies: cluster + products("KeyValueStoreTesting", of: "heartwood")
                + products("NIOCore", "NIOEmbedded", "NIOPosix", of: "swift-nio"),
            swiftSettings: settings),
        // The tests of the typed layer, compiled again for this engine: the directories are links.
        .testTarget(
            name: "RepositoryOnEtcdTests",
            dependencies: cluster
                + products("Heartwood", "HeartwoodTesting", "KeyValueStoreTesting", of: "heartwood"),
            swiftSettings: settings + [.define("CLUSTER")]),
        // Those of jobs. Left out is what needs no store, and what reads crash images of files.
        .testTarget(
            name: "JobsOnEtcdTests",
            dependencies: cluster
                + products("Heartwood", "HeartwoodJobs", "KeyValueStoreTesting", of: "heartwood")
                + products("Logging", of: "swift-log"),
            exclude: ["Queue/JobCrashTests.swift", "Workers/WorkerBookTests.swift"],
            swiftSettings: settings + [.define("CLUSTER")]),
    ]
)
