#if Service
public import Configuration
public import Heartwood

extension StoreService.Options {
    /// These options, changed by what a reader has.
    ///
    /// ## Configuration keys
    /// - `name` (string, default the last component of the path): names the store in metrics, traces and logs.
    /// - `metrics.interval` (double, seconds, default 5): the time between two reports, at least 0.01.
    /// - `metrics.slowSync` (double, seconds, default 0.1): from when a sync is slow.
    ///
    /// - Parameters:
    ///   - config: The reader that has the settings of the store, too.
    ///   - options: What the settings don't say.
    /// - Throws: `.invalidArgument` for a value that is wrong, which it names.
    public init(config: ConfigReader, options: Self = Self()) async throws(StoreError) {
        self = options
        let settings = Settings(config)
        name = try await settings.text("name") ?? name
        interval = try await settings.seconds("metrics.interval", from: 0.01) ?? interval
        slowSync = try await settings.seconds("metrics.slowSync") ?? slowSync
    }
}
#endif
