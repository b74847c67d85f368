internal import ArgumentParser

/// The option of a campaign that draws what it does.
struct SeedOptions: ParsableArguments {
    @Option(help: "The seed: the same one gives the same operations. A random one by default.")
    var seed: UInt64 = .random(in: 1...999_999_999)
}

/// The options of a campaign that draws what it does, on a real file system.
struct StoreOptions: ParsableArguments {
    @OptionGroup var seedOptions: SeedOptions

    @Option(help: "Where the stores are made; a directory for temporary files by default.")
    var directory: String?

    var seed: UInt64 { seedOptions.seed }
}
