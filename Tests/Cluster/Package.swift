// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that neither Heartwood's users nor Tests/Integrations build gRPC. 'Tools/cluster' starts the
// servers and runs the tests; without them the tests are skipped.

let warningsAreErrors = Context.environment["HEARTWOOD_WARNINGS_AS_ERRORS"] == "1"

var settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
if warningsAreErrors {
    settings.append(.treatAllWarnings(as: .error))
}

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
            name: "ClusterSupport",
            dependencies: [
                .product(name: "HeartwoodEtcd", package: "heartwood"),
                .product(name: "KeyValueStore", package: "heartwood"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        // Concurrent clients while servers and networks fail, and what their histories say.
        .target(
            name: "ClusterCampaign",
            dependencies: [
                "ClusterSupport", "HistoryChecking",
                .product(name: "HeartwoodEtcd", package: "heartwood"),
                .product(name: "HeartwoodRepository", package: "heartwood"),
                .product(name: "HeartwoodTesting", package: "heartwood"),
                .product(name: "KeyValueStore", package: "heartwood"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "cluster-campaign",
            dependencies: [
                "ClusterCampaign", "ClusterSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        // EtcdStore and a minimal client, with links to the messages and to the answers to pings of HeartwoodEtcd.
        .executableTarget(
            name: "cluster-benchmark",
            dependencies: [
                "ClusterSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
                .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf"),
                .product(name: "HeartwoodEtcd", package: "heartwood"),
                .product(name: "HeartwoodRepository", package: "heartwood"),
                .product(name: "KeyValueStore", package: "heartwood"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            swiftSettings: settings + [.define("Etcd")]
        ),
        // Checkers of histories, which need no server.
        .target(name: "HistoryChecking", swiftSettings: settings),
        .testTarget(
            name: "HistoryCheckingTests",
            dependencies: ["HistoryChecking", .product(name: "HeartwoodTesting", package: "heartwood")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeartwoodEtcdTests",
            dependencies: [
                "ClusterSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "HeartwoodEtcd", package: "heartwood"),
                .product(name: "HeartwoodRepository", package: "heartwood"),
                .product(name: "KeyValueStore", package: "heartwood"),
                .product(name: "KeyValueStoreTesting", package: "heartwood"),
            ],
            swiftSettings: settings
        ),
        // The tests of the typed layer, compiled again for this engine: the directories are links.
        .testTarget(
            name: "RepositoryOnEtcdTests",
            dependencies: [
                "ClusterSupport",
                .product(name: "Heartwood", package: "heartwood"),
                .product(name: "HeartwoodEtcd", package: "heartwood"),
                .product(name: "HeartwoodRepository", package: "heartwood"),
                .product(name: "HeartwoodTesting", package: "heartwood"),
                .product(name: "KeyValueStore", package: "heartwood"),
                .product(name: "KeyValueStoreTesting", package: "heartwood"),
            ],
            swiftSettings: settings + [.define("CLUSTER")]
        ),
        // Those of jobs. Left out is what needs no store, and what reads crash images of files.
        .testTarget(
            name: "JobsOnEtcdTests",
            dependencies: [
                "ClusterSupport",
                .product(name: "Heartwood", package: "heartwood"),
                .product(name: "HeartwoodEtcd", package: "heartwood"),
                .product(name: "HeartwoodJobs", package: "heartwood"),
                .product(name: "HeartwoodRepository", package: "heartwood"),
                .product(name: "KeyValueStore", package: "heartwood"),
                .product(name: "KeyValueStoreTesting", package: "heartwood"),
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Queue/JobCrashTests.swift", "Workers/WorkerBookTests.swift"],
            swiftSettings: settings + [.define("CLUSTER")]
        ),
    ]
)
