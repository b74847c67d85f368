// swift-tools-version: 6.2
import PackageDescription

// A separate package, as a user of Heartwood has one, so that nothing else builds it.

let warningsAreErrors = Context.environment["HEARTWOOD_WARNINGS_AS_ERRORS"] == "1"

let package = Package(
    name: "watch",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "heartwood", path: "../..")],
    targets: [
        .executableTarget(
            name: "watch",
            dependencies: [
                .product(name: "Heartwood", package: "heartwood"),
                .product(name: "HeartwoodRepository", package: "heartwood"),
            ],
            swiftSettings: warningsAreErrors ? [.treatAllWarnings(as: .error)] : []
        )
    ]
)
