#if Service
public import Configuration
public import Heartwood

extension Store.Configuration {
    /// The defaults, except for what a reader has. The keys are those of the properties.
    ///
    /// ```swift
    /// let config = ConfigReader(provider: EnvironmentVariablesProvider())
    /// let configuration = try await Store.Configuration(config: config.scoped(to: "store"))  // STORE_DURABILITY, …
    /// ```
    ///
    /// ## Configuration keys
    /// - `durability` (string, default `synced`): `synced`, `written` or `buffered`.
    /// - `segmentBytes` (int, default 64 MiB): 16 KiB to 1 TiB.
    /// - `maximumValueBytes` (int, default 1 GiB): 0 to 2 GiB less 132 KiB.
    /// - `commitBufferBytes` (int, default 4 MiB): 64 KiB to 1 GiB.
    /// - `valueReading` (string, default `positioned`): `positioned` or `mapped`.
    /// - `logWriting` (string, default `mapped`): `mapped` or `calls`.
    /// - `compression.level` (int, default 0): 0 is off; 1 (fastest) to 9 (smallest).
    /// - `compression.threshold` (int, default 512): bytes from which a value is compressed.
    /// - `compaction.automatic` (bool, default true).
    /// - `compaction.minimumLogBytes` (int, default 256 MiB).
    /// - `compaction.logPerLiveByte` (double, default 1).
    /// - `compaction.maximumLogBytes` (int, none by default).
    /// - `compaction.maximumSegments` (int, default 512).
    /// - `compaction.interval` (double, seconds, none by default).
    /// - `logRetention` (string, default `none`): `none`, `everything`, `unchanged`, or a number of bytes.
    /// - `createIfMissing` (bool, default true).
    /// - `strictRecovery` (bool, default false).
    ///
    /// A key that no setting has is not noticed.
    ///
    /// - Throws: `.invalidArgument` for a value that is wrong, which it names.
    public init(config: ConfigReader) async throws(StoreError) {
        self.init()
        let settings = Settings(config)
        durability =
            try await settings.choice("durability", ["synced": .synced, "written": .written, "buffered": .buffered])
            ?? durability
        segmentBytes = try await settings.integer("segmentBytes", in: 16 << 10...1 << 40) ?? segmentBytes
        maximumValueBytes =
            try await settings.integer("maximumValueBytes", in: 0...(2 << 30) - (132 << 10)) ?? maximumValueBytes
        commitBufferBytes =
            try await settings.integer("commitBufferBytes", in: 64 << 10...1 << 30) ?? commitBufferBytes
        valueReading =
            try await settings.choice("valueReading", ["positioned": .positioned, "mapped": .mapped]) ?? valueReading
        logWriting = try await settings.choice("logWriting", ["mapped": .mapped, "calls": .calls]) ?? logWriting
        compression = try await Compression(settings)
        compaction = try await CompactionPolicy(settings)
        logRetention = try await LogRetention(settings)
        createIfMissing = try await settings.flag("createIfMissing") ?? createIfMissing
        strictRecovery = try await settings.flag("strictRecovery") ?? strictRecovery
    }
}

extension Compression {
    fileprivate init(_ settings: Settings) async throws(StoreError) {
        let level = try await settings.integer("compression.level", in: 0...9) ?? 0
        let threshold = try await settings.integer("compression.threshold", in: 32...Int(Int32.max)) ?? 512
        self = level == 0 ? .off : .zlib(level: level, threshold: threshold)
    }
}

extension CompactionPolicy {
    fileprivate init(_ settings: Settings) async throws(StoreError) {
        self.init()
        isAutomatic = try await settings.flag("compaction.automatic") ?? isAutomatic
        let bytes: ClosedRange<UInt64> = 0...1 << 60
        minimumLogBytes = try await settings.integer("compaction.minimumLogBytes", in: bytes) ?? minimumLogBytes
        logPerLiveByte = try await settings.number("compaction.logPerLiveByte", from: 0) ?? logPerLiveByte
        maximumLogBytes = try await settings.integer("compaction.maximumLogBytes", in: bytes)
        maximumSegments = try await settings.integer("compaction.maximumSegments", in: 1...1 << 20) ?? maximumSegments
        interval = try await settings.seconds("compaction.interval", from: 1)
    }
}

extension LogRetention {
    fileprivate init(_ settings: Settings) async throws(StoreError) {
        switch try await settings.text("logRetention") {
        case nil, "none"?: self = .none
        case "everything"?: self = .everything
        case "unchanged"?: self = .unchanged
        case let text?:
            guard let bytes = UInt64(text) else {
                throw settings.wrong("logRetention", "\"\(text)\"", "none, everything, unchanged or a number of bytes")
            }
            self = .bytes(bytes)
        }
    }
}
#endif
