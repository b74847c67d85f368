internal import Heartwood

/// How a store reads values.
enum ReadingMode: String, Sendable, CaseIterable {
    /// By `pread`, into memory of its own.
    case pread
    /// From a mapping of the file.
    case mapped

    /// The one that reads fastest, of those that are there.
    static var best: ReadingMode { Engine.has(.mapped) ? .mapped : .pread }
}

/// What these benchmarks ask of Heartwood beyond its plain puts and gets, in one place.
enum Engine {
    /// Whether workloads of that mode are there to be chosen.
    static func has(_ mode: ReadingMode) -> Bool { true }

    /// Whether the workloads that get many keys at once are there to be chosen.
    static let hasGetAll = true

    /// A configuration that reads in that mode, and is the default in everything else.
    ///
    /// - Parameter isCompacted: Whether the store compacts itself. Where the log is what is read or opened, it mustn't.
    static func configuration(
        _ mode: ReadingMode = .pread, isCompacted: Bool = true
    ) -> Store.Configuration {
        var configuration = Store.Configuration()
        configuration.valueReading = mode == .mapped ? .mapped : .positioned
        if !isCompacted { configuration.compaction = .manual }
        return configuration
    }

    /// The values of several keys.
    @inline(__always)
    static func get(all keys: [[UInt8]], from store: Store) throws -> [[UInt8]?] {
        try store.get(all: keys)
    }

    /// Lends every record, in order, until `body` says stop.
    @inline(__always)
    static func forEachRecord(
        _ store: Store, _ body: (_ key: RawSpan, _ value: RawSpan) -> ScanDecision
    ) throws {
        try store.forEachRecord(body)
    }

    /// Lends every key, in order, until `body` says stop.
    @inline(__always)
    static func forEachKey(_ store: Store, _ body: (_ key: RawSpan) -> ScanDecision) throws {
        try store.forEachKey(body)
    }

    /// Bytes of memory that the index takes for each key.
    static func indexBytesPerKey(_ store: Store) -> Double {
        let statistics = store.statistics
        return Double(statistics.indexBytes) / Double(max(1, statistics.keys))
    }
}
