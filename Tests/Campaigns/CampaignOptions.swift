internal import ArgumentParser
internal import HeartwoodCampaignSupport

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

extension StoreOptions {
    /// Does the work in a new directory, which is removed unless it fails.
    func inDirectory<Result>(
        _ purpose: String, _ work: (_ path: String) async throws -> Result
    ) async throws -> Result {
        let path = try TemporaryDirectory.make(purpose, in: directory)
        let result = try await work(path)
        TemporaryDirectory.remove(path)
        return result
    }
}
