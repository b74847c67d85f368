// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that a user of the library never resolves or builds what only benchmarks need.

let warningsAreErrors = Context.environment["HEARTWOOD_WARNINGS_AS_ERRORS"] == "1"
// The engines that Heartwood is compared with: off unless asked for, because their libraries must be there. 'setup-peers'
// installs them on Debian and Ubuntu.
let hasPeers = Context.environment["HEARTWOOD_PEERS"] == "1"

var settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
if warningsAreErrors {
    settings.append(.treatAllWarnings(as: .error))
}
if hasPeers {
    settings.append(.define("PEERS"))
}

let package = Package(
    name: "heartwood-benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "heartwood-bench", targets: ["heartwood-bench"])
    ],
    dependencies: [
        .package(name: "heartwood", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    ],
    targets: [
        .executableTarget(
            name: "heartwood-bench",
            dependencies: [
                .product(name: "Heartwood", package: "heartwood"),
                .product(name: "HeartwoodFileSystem", package: "heartwood"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ] + (hasPeers ? ["CLevelDB", "CRocksDB", "CLMDB", "CSQLite"] : []),
            exclude: hasPeers ? [] : ["Peers"],
            swiftSettings: settings
        )
    ]
)

if hasPeers {
    // LevelDB comes without a description for pkg-config.
    package.targets += [
        .systemLibrary(name: "CLevelDB", providers: [.apt(["libleveldb-dev"]), .brew(["leveldb"])]),
        .systemLibrary(
            name: "CRocksDB", pkgConfig: "rocksdb", providers: [.apt(["librocksdb-dev"]), .brew(["rocksdb"])]),
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    ]
}
