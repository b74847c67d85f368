// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that Heartwood's users don't resolve its dependencies.

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
    name: "heartwood-integrations",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "heartwood", path: "../..", traits: ["NIO", "Service", "Hummingbird"]),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.10.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0", traits: []),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    ],
    targets: [
        .testTarget(
            name: "HeartwoodNIOTests",
            dependencies: [
                .product(name: "Heartwood", package: "heartwood"),
                .product(name: "HeartwoodNIO", package: "heartwood"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeartwoodServiceTests",
            dependencies: [
                .product(name: "Heartwood", package: "heartwood"),
                .product(name: "HeartwoodRepository", package: "heartwood"),
                .product(name: "HeartwoodService", package: "heartwood"),
                .product(name: "HeartwoodTesting", package: "heartwood"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Configuration", package: "swift-configuration"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeartwoodHummingbirdTests",
            dependencies: [
                .product(name: "Heartwood", package: "heartwood"),
                .product(name: "HeartwoodHummingbird", package: "heartwood"),
                .product(name: "HeartwoodRepository", package: "heartwood"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeartwoodJobsServiceTests",
            dependencies: [
                .product(name: "Heartwood", package: "heartwood"),
                .product(name: "HeartwoodJobs", package: "heartwood"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
    ]
)
