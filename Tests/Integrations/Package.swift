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
        .package(name: "heartwood", path: "../..", traits: ["NIO", "Service"]),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
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
            name: "HeartwoodJobsServiceTests",
            dependencies: [
                .product(name: "Heartwood", package: "heartwood"),
                .product(name: "HeartwoodFileSystem", package: "heartwood"),
                .product(name: "HeartwoodJobs", package: "heartwood"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
    ]
)
