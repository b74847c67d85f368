// swift-tools-version: 6.2
import PackageDescription

// Tools/test and .ci/run set this; a user's build is never failed by the warning of a newer compiler.
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
// Set for builds with ThreadSanitizer, so that it sees what the index's readers and its writer do to the same memory.
if Context.environment["HEARTWOOD_CHECKED_MEMORY"] == "1" {
    settings.append(.define("HEARTWOOD_CHECKED_MEMORY"))
}

let package = Package(
    name: "heartwood",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Heartwood", targets: ["Heartwood"]),
        .library(name: "HeartwoodRepository", targets: ["HeartwoodRepository"]),
        .library(name: "HeartwoodLocal", targets: ["HeartwoodLocal"]),
        .library(name: "HeartwoodJobs", targets: ["HeartwoodJobs"]),
        .library(name: "KeyValueStore", targets: ["KeyValueStore"]),
        .library(name: "KeyValueStoreTesting", targets: ["KeyValueStoreTesting"]),
        .library(name: "HeartwoodTesting", targets: ["HeartwoodTesting"]),
        .library(name: "HeartwoodInspection", targets: ["HeartwoodInspection"]),
        .library(name: "HeartwoodFoundation", targets: ["HeartwoodFoundation"]),
        .library(name: "HeartwoodNIO", targets: ["HeartwoodNIO"]),
        .library(name: "HeartwoodService", targets: ["HeartwoodService"]),
        .library(name: "HeartwoodHummingbird", targets: ["HeartwoodHummingbird"]),
        .library(name: "HeartwoodEtcd", targets: ["HeartwoodEtcd"]),
        .executable(name: "heartwood", targets: ["heartwood-tool"]),
        .executable(name: "heartwood-move", targets: ["heartwood-move"]),
    ],
    // What has dependencies of its own is a product with a trait that is off by default: where it is off, a package
    // that depends on this one resolves, fetches and builds none of those dependencies. 'Tools/check-dependencies'
    // shows it.
    traits: [
        .trait(name: "NIO", description: "The product HeartwoodNIO: SwiftNIO's ByteBuffer as keys and values."),
        .trait(
            name: "Service",
            description: "The product HeartwoodService, and HeartwoodJobs' workers as a Service."),
        .trait(
            name: "Hummingbird",
            description: "The product HeartwoodHummingbird: Hummingbird's PersistDriver on a store."),
        .trait(name: "Etcd", description: "The product HeartwoodEtcd: an etcd cluster as a store."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.10.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0", traits: []),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.38.0"),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.0"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.0"),
        .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.0"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.38.0", traits: []),
    ],
    targets: [
        // Floor 0: what Swift can't reach.
        .target(name: "CHeartwood"),
        .systemLibrary(
            name: "CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
        ),
        // What a layer needs of any engine: keys, values, ranges, errors, and the protocols.
        .target(name: "KeyValueStore", swiftSettings: settings),
        // Floor 1: bytes to records and back; the seam for all I/O.
        .target(
            name: "HeartwoodFormat",
            dependencies: ["CHeartwood", "CZlib", "KeyValueStore"],
            swiftSettings: settings
        ),
        .target(name: "HeartwoodConcurrency", dependencies: ["CHeartwood"], swiftSettings: settings),
        .target(
            name: "HeartwoodFileSystem", dependencies: ["CHeartwood", "HeartwoodConcurrency"], swiftSettings: settings),
        // Floor 2: what a store's files say, each and together; a simulated disk that crashes and fails.
        .target(
            name: "HeartwoodFiles",
            dependencies: ["HeartwoodFormat", "HeartwoodConcurrency", "HeartwoodFileSystem", "KeyValueStore"],
            swiftSettings: settings
        ),
        .target(
            name: "HeartwoodTesting", dependencies: ["HeartwoodConcurrency", "HeartwoodFileSystem"],
            swiftSettings: settings),
        // Floor 3: the engine; beside it what reads, verifies and repairs files without opening the store.
        .target(
            name: "Heartwood",
            dependencies: [
                "CHeartwood", "HeartwoodFormat", "HeartwoodConcurrency", "HeartwoodFileSystem", "HeartwoodFiles",
                "KeyValueStore",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "HeartwoodInspection",
            dependencies: ["HeartwoodFormat", "HeartwoodConcurrency", "HeartwoodFileSystem", "HeartwoodFiles"],
            swiftSettings: settings
        ),
        // Beside the engine: the typed layer on any engine; what an engine is tested with.
        .target(
            name: "HeartwoodRepository",
            dependencies: ["KeyValueStore", "HeartwoodConcurrency"],
            swiftSettings: settings
        ),
        .target(
            name: "KeyValueStoreTesting", dependencies: ["KeyValueStore", "HeartwoodTesting"], swiftSettings: settings),
        // Floor 4: a repository in the place of an actor over a JSON file.
        .target(
            name: "HeartwoodLocal",
            dependencies: [
                "Heartwood", "HeartwoodRepository", "HeartwoodFormat", "HeartwoodConcurrency", "HeartwoodFileSystem",
                "KeyValueStore",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        // Jobs that workers run later, at least once.
        .target(
            name: "HeartwoodJobs",
            dependencies: [
                "HeartwoodRepository", "HeartwoodConcurrency", "KeyValueStore",
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["Service"])),
            ],
            swiftSettings: settings
        ),
        // Beside it: the types of other libraries as keys and values, each in a product of its own.
        .target(name: "HeartwoodFoundation", dependencies: ["Heartwood"], swiftSettings: settings),
        .target(
            name: "HeartwoodNIO",
            dependencies: [
                "Heartwood",
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["NIO"])),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "HeartwoodService",
            dependencies: [
                "Heartwood", "HeartwoodConcurrency", "HeartwoodFileSystem", "HeartwoodRepository",
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["Service"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Service"])),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Service"])),
                .product(name: "Configuration", package: "swift-configuration", condition: .when(traits: ["Service"])),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "HeartwoodHummingbird",
            dependencies: [
                "KeyValueStore", "HeartwoodRepository",
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Hummingbird"])),
            ],
            swiftSettings: settings
        ),
        // Beside the engine: an etcd cluster in its place.
        .target(
            name: "HeartwoodEtcd",
            dependencies: [
                "KeyValueStore",
                .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["Etcd"])),
                .product(
                    name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport",
                    condition: .when(traits: ["Etcd"])),
                .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf", condition: .when(traits: ["Etcd"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Etcd"])),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: .when(traits: ["Etcd"])),
                .product(name: "SwiftProtobuf", package: "swift-protobuf", condition: .when(traits: ["Etcd"])),
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Messages/etcd.proto"],
            swiftSettings: settings
        ),
        // Moves a store into a cluster, or back.
        .executableTarget(
            name: "heartwood-move",
            dependencies: [
                "Heartwood", "HeartwoodEtcd", "KeyValueStore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tools/heartwood-move",
            swiftSettings: settings
        ),
        // The command-line tool.
        .executableTarget(
            name: "heartwood-tool",
            dependencies: [
                "Heartwood", "HeartwoodInspection", "HeartwoodFormat", "HeartwoodConcurrency", "HeartwoodFileSystem",
                "HeartwoodRepository",
                "KeyValueStore", "CZlib",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tools/heartwood",
            resources: [
                .embedInCode("Inspect/Page/inspect.css"), .embedInCode("Inspect/Page/inspect.html"),
                .embedInCode("Inspect/Page/inspect.js"),
            ],
            swiftSettings: settings
        ),
        // Campaigns: random operations against a model, kill -9 again and again.
        .target(
            name: "HeartwoodCampaignSupport",
            dependencies: [
                "Heartwood", "HeartwoodInspection", "HeartwoodFormat", "HeartwoodConcurrency", "HeartwoodFileSystem",
                "HeartwoodTesting",
                "HeartwoodRepository", "HeartwoodJobs", "KeyValueStore",
            ],
            path: "Tests/CampaignSupport",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "heartwood-campaigns",
            dependencies: [
                "Heartwood", "HeartwoodFormat", "HeartwoodConcurrency", "HeartwoodFileSystem", "HeartwoodTesting",
                "HeartwoodCampaignSupport",
                "HeartwoodFuzzing",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Campaigns",
            exclude: ["seeds"],
            swiftSettings: settings
        ),
        // Instruction counts of the hot operations, under callgrind.
        .target(name: "CCallgrind", path: "Tests/Counts/CCallgrind"),
        .executableTarget(
            name: "heartwood-counts",
            dependencies: [
                "CCallgrind", "CHeartwood", "CZlib", "Heartwood", "HeartwoodRepository", "HeartwoodFormat",
                "HeartwoodConcurrency", "HeartwoodFileSystem",
                "HeartwoodTesting", "HeartwoodCampaignSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Counts/Program",
            swiftSettings: settings
        ),
        // Fuzzing: what every decoder is held to, and the mutators that get past its checksums.
        .target(
            name: "HeartwoodFuzzing",
            dependencies: [
                "Heartwood", "HeartwoodInspection", "HeartwoodFiles", "HeartwoodFormat", "HeartwoodConcurrency",
                "HeartwoodFileSystem",
                "HeartwoodTesting", "HeartwoodCampaignSupport", "CZlib",
            ],
            path: "Tests/Fuzzing",
            exclude: ["Corpus", "Failures", "Fuzzer"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeartwoodFormatTests",
            dependencies: ["HeartwoodFormat", "CHeartwood"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeartwoodFileSystemTests",
            dependencies: ["HeartwoodConcurrency", "HeartwoodFileSystem", "HeartwoodTesting"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeartwoodTestingTests",
            dependencies: [
                "HeartwoodTesting", "HeartwoodConcurrency", "HeartwoodFileSystem", "Heartwood",
                "HeartwoodCampaignSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeartwoodTests",
            dependencies: [
                "Heartwood", "HeartwoodFiles", "HeartwoodFormat", "HeartwoodConcurrency", "HeartwoodFileSystem",
                "HeartwoodTesting",
                "HeartwoodCampaignSupport", .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeartwoodInspectionTests",
            dependencies: [
                "HeartwoodInspection", "Heartwood", "HeartwoodFormat", "HeartwoodConcurrency", "HeartwoodFileSystem",
                "HeartwoodTesting",
                "HeartwoodCampaignSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeartwoodFuzzingTests",
            dependencies: [
                "HeartwoodFuzzing", "Heartwood", "HeartwoodInspection", "HeartwoodFormat", "HeartwoodConcurrency",
                "HeartwoodFileSystem",
                "HeartwoodTesting", "HeartwoodCampaignSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeartwoodFoundationTests",
            dependencies: ["HeartwoodFoundation", "Heartwood"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeyValueStoreTestingTests",
            dependencies: [
                "KeyValueStore", "KeyValueStoreTesting", "Heartwood", "HeartwoodTesting", "HeartwoodConcurrency",
                "HeartwoodFileSystem",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeartwoodRepositoryTests",
            dependencies: [
                "HeartwoodRepository", "KeyValueStore", "KeyValueStoreTesting", "Heartwood", "HeartwoodTesting",
                "HeartwoodConcurrency", "HeartwoodFileSystem", "HeartwoodCampaignSupport",
            ],
            exclude: ["Keys/Golden"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HeartwoodJobsTests",
            dependencies: [
                "HeartwoodJobs", "HeartwoodRepository", "KeyValueStore", "KeyValueStoreTesting", "Heartwood",
                "HeartwoodTesting", "HeartwoodConcurrency", "HeartwoodFileSystem", "HeartwoodCampaignSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        // Stands for a Foundation that has 'URL.documentsDirectory' on every platform.
        .target(name: "LaterFoundation", path: "Tests/LaterFoundation", swiftSettings: settings),
        .testTarget(
            name: "HeartwoodLocalTests",
            dependencies: [
                "HeartwoodLocal", "Heartwood", "HeartwoodRepository", "HeartwoodConcurrency", "HeartwoodFileSystem",
                "HeartwoodTesting",
                "HeartwoodCampaignSupport", "KeyValueStore", "LaterFoundation",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        // Runs the built tool; the dependency sees to it that there is one.
        .testTarget(
            name: "HeartwoodToolTests",
            dependencies: [
                "heartwood-tool", "Heartwood", "HeartwoodConcurrency", "HeartwoodFileSystem", "HeartwoodLocal",
                "HeartwoodRepository",
                "KeyValueStore",
            ],
            swiftSettings: settings
        ),
    ]
)

// The tests that run under ThreadSanitizer. The others would only take time to build.
if Context.environment["HEARTWOOD_CHECKED_MEMORY"] == "1" {
    let concurrent = ["HeartwoodTests", "HeartwoodFileSystemTests", "HeartwoodInspectionTests"]
    package.targets.removeAll { $0.type == .test && !concurrent.contains($0.name) }
}

// Tools/test sets this, too: the modules in which tests spend their time are optimised, with assertions. All tests
// together are then four times as fast. Users' builds never have such flags: with them, no package may depend on this
// one by its version.
if Context.environment["HEARTWOOD_OPTIMIZED"] == "1" {
    let engine = [
        "KeyValueStore", "HeartwoodFormat", "HeartwoodConcurrency", "HeartwoodFileSystem", "HeartwoodFiles",
        "HeartwoodTesting", "Heartwood", "HeartwoodInspection", "HeartwoodRepository", "KeyValueStoreTesting",
    ]
    for target in package.targets where engine.contains(target.name) {
        target.swiftSettings?.append(
            .unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug)))
    }
}

// Tools/fuzz sets this: the fuzzer links libFuzzer, which brings the entry point and which not every toolchain has.
if Context.environment["HEARTWOOD_FUZZING"] == "1" {
    package.targets.append(
        .executableTarget(
            name: "heartwood-fuzz",
            dependencies: ["HeartwoodFuzzing", "HeartwoodTesting"],
            path: "Tests/Fuzzing/Fuzzer",
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]
        ))
}
