// swift-tools-version: 6.2
import Foundation
import PackageDescription

// A package of its own, so that a user of the library never resolves or builds what only benchmarks need.

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

/// A system library of an engine that Heartwood is compared with.
struct Peer {
    /// As in `HEARTWOOD_PEERS`.
    var name: String
    var module: String
    var header: String
    /// LevelDB comes without a description for pkg-config.
    var pkgConfig: String?
    var apt: String
    var brew: String
    /// The compilation condition of its adapter.
    var condition: String { "PEER_" + name.uppercased() }
}

let knownPeers = [
    Peer(
        name: "rocksdb", module: "CRocksDB", header: "rocksdb/c.h", pkgConfig: "rocksdb", apt: "librocksdb-dev",
        brew: "rocksdb"),
    Peer(name: "leveldb", module: "CLevelDB", header: "leveldb/c.h", apt: "libleveldb-dev", brew: "leveldb"),
    Peer(name: "lmdb", module: "CLMDB", header: "lmdb.h", pkgConfig: "lmdb", apt: "liblmdb-dev", brew: "lmdb"),
    Peer(
        name: "sqlite", module: "CSQLite", header: "sqlite3.h", pkgConfig: "sqlite3", apt: "libsqlite3-dev",
        brew: "sqlite"),
]

// Off unless asked for, because their libraries must be there: `HEARTWOOD_PEERS=rocksdb,lmdb` names those that are, as
// 'setup-peers' finds them; `1` takes those whose headers are in a usual place.
let wantedPeers = Context.environment["HEARTWOOD_PEERS"] ?? ""
let peers = knownPeers.filter { peer in
    guard wantedPeers != "1" else {
        return ["/usr/include", "/usr/local/include", "/opt/homebrew/include"].contains {
            FileManager.default.fileExists(atPath: "\($0)/\(peer.header)")
        }
    }
    return wantedPeers.split(separator: ",").contains { $0 == peer.name }
}
// GRDB is a Swift package on top of SQLite.
let hasGRDB = peers.contains { $0.name == "sqlite" }

let package = Package(
    name: "heartwood-benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "heartwood-bench", targets: ["heartwood-bench"])
    ],
    dependencies: [
        .package(name: "heartwood", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ] + (hasGRDB ? [.package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")] : []),
    targets: [
        .executableTarget(
            name: "heartwood-bench",
            dependencies: [
                .product(name: "Heartwood", package: "heartwood"),
                .product(name: "HeartwoodRepository", package: "heartwood"),
                .product(name: "HeartwoodJobs", package: "heartwood"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ] + peers.map { .target(name: $0.module) }
                + (hasGRDB ? [.product(name: "GRDB", package: "GRDB.swift")] : []),
            swiftSettings: settings + peers.map { .define($0.condition) }
        ),
        .testTarget(
            name: "HeartwoodBenchTests", dependencies: ["heartwood-bench"], swiftSettings: settings),
    ]
        + peers.map {
            .systemLibrary(
                name: $0.module, pkgConfig: $0.pkgConfig, providers: [.apt([$0.apt]), .brew([$0.brew])])
        }
)
