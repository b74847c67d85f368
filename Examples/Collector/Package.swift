// swift-tools-version: 6.2
import PackageDescription

// A separate package, as a user of Heartwood has one, so that nothing else builds it.

var settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
if Context.environment["HEARTWOOD_WARNINGS_AS_ERRORS"] == "1" { settings.append(.treatAllWarnings(as: .error)) }

func products(_ names: [String], of package: String) -> [Target.Dependency] {
    names.map { .product(name: $0, package: package) }
}

let service =
    products(
        [
            "Heartwood", "HeartwoodEtcd", "HeartwoodHummingbird", "HeartwoodJobs", "HeartwoodNIO",
            "HeartwoodRepository", "HeartwoodService",
        ], of: "heartwood")
    + products(["Hummingbird", "HummingbirdCore", "HummingbirdTLS"], of: "hummingbird")
    + products(["AsyncAlgorithms"], of: "swift-async-algorithms")
    + products(["Configuration"], of: "swift-configuration")
    + products(["Crypto"], of: "swift-crypto")
    + products(["HTTPTypes"], of: "swift-http-types")
    + products(["Logging"], of: "swift-log")
    + products(["CoreMetrics"], of: "swift-metrics")
    + products(["NIOCore", "NIOHTTP1", "NIOPosix"], of: "swift-nio")
    + products(["NIOHTTPTypes", "NIOHTTPTypesHTTP1"], of: "swift-nio-extras")
    + products(["NIOSSL"], of: "swift-nio-ssl")
    + products(["ServiceLifecycle", "UnixSignals"], of: "swift-service-lifecycle")
    + products(["SystemPackage"], of: "swift-system")

let package = Package(
    name: "collector",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "heartwood", path: "../..", traits: ["NIO", "Hummingbird", "Service", "Etcd"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.0.2"),
        .package(
            url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["CommandLineArguments"]),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.9.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.9.0"),
    ],
    targets: [
        .executableTarget(
            name: "collector", dependencies: service,
            resources: [
                .embedInCode("Page/page.html"), .embedInCode("Page/page.css"), .embedInCode("Page/page.js"),
                .embedInCode("Page/icon.svg"),
            ],
            swiftSettings: settings),
        // Random requests, for tests and trials.
        .executableTarget(
            name: "collector-fuzz",
            dependencies: products(["HeartwoodTesting"], of: "heartwood")
                + products(["NIOCore", "NIOPosix"], of: "swift-nio"),
            swiftSettings: settings),
        .testTarget(
            name: "CollectorTests",
            dependencies: ["collector", "collector-fuzz"] + service
                + products(["HeartwoodTesting", "KeyValueStoreTesting"], of: "heartwood")
                + products(["HummingbirdTesting"], of: "hummingbird")
                + products(["AsyncHTTPClient"], of: "async-http-client")
                + products(["NIOEmbedded"], of: "swift-nio"),
            swiftSettings: settings),
    ]
)
