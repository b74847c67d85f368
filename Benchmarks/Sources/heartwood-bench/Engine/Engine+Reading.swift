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
///
/// - Note: Places marked `COMING API` use today's forms until the engine has those named there.
enum Engine {
    /// Whether workloads of that mode are there to be chosen.
    ///
    /// COMING API: `true` for both, once `configuration.valueReading` exists.
    static func has(_ mode: ReadingMode) -> Bool { mode == .pread }

    /// Whether the workloads that get many keys at once are there to be chosen.
    ///
    /// COMING API: `true`, once `store.get(all:)` exists.
    static let hasGetAll = false

    /// A configuration that reads in that mode, and is the default in everything else.
    static func configuration(_ mode: ReadingMode = .pread) -> Store.Configuration {
        // COMING API: var configuration = Store.Configuration()
        //             configuration.valueReading = mode == .mapped ? .mapped : .positioned
        let configuration = Store.Configuration()
        return configuration
    }

    /// The values of several keys.
    @inline(__always)
    static func get(all keys: [[UInt8]], from store: Store) throws -> [[UInt8]?] {
        // COMING API: try store.get(all: keys)
        try keys.map { key in try store.get(key) }
    }

    /// Lends every record, in order, until `body` says stop.
    @inline(__always)
    static func forEachRecord(
        _ store: Store, _ body: (_ key: RawSpan, _ value: RawSpan) -> ScanDecision
    ) throws {
        // COMING API: try store.forEachRecord(body)
        try store.forEach { entry in body(entry.key.span.bytes, entry.value.span.bytes) }
    }

    /// Lends every key, in order, until `body` says stop.
    @inline(__always)
    static func forEachKey(_ store: Store, _ body: (_ key: RawSpan) -> ScanDecision) throws {
        // COMING API: try store.forEachKey(body)
        for key in store.keys() where body(key.span.bytes) == .stop { return }
    }

    /// Bytes of memory that the index takes for each key.
    static func indexBytesPerKey(_ store: Store) -> Double {
        let statistics = store.statistics
        return Double(statistics.indexBytes) / Double(max(1, statistics.keys))
    }
}
