/// The figures that a run may have in addition to rate and latency, with their names in the results.
enum Figure: String, Sendable, Codable, CaseIterable {
    case writeAmplification
    case spaceAmplification, peakSpaceAmplification, compactedSpaceAmplification, diskBytesPerPayloadByte
    case memoryBytesPerKey, mappedBytesPerKey, peakMemoryBytes
    case indexBytesPerKey, loadedIndexBytesPerKey, bytesPerIndexEntry, loadedBytesPerIndexEntry
    case layerNanoseconds, repositoryNanoseconds, storeNanoseconds
    case recordsPerSecond, megabytesPerSecond, nanosecondsPerRecord, processorNanosecondsPerOperation
    /// Heartwood's statistics of its log.
    case syncs, writesPerSync, rotations, compactions
    /// Periods in which all operations were more than 20 ms late, and those in which no task waited as long for the
    /// disk.
    case stalls, unexplainedStalls
    /// Of the work that runs at the same time.
    case besidePerSecond
    /// The share of a fixed amount of work that was done at the time limit.
    case done

    /// The description in tables.
    var title: String {
        switch self {
        case .writeAmplification: "bytes written per byte put"
        case .spaceAmplification: "disk bytes per live byte"
        case .peakSpaceAmplification: "peak disk bytes per live byte"
        case .compactedSpaceAmplification: "disk bytes per live byte after compaction"
        case .diskBytesPerPayloadByte: "disk bytes per byte put"
        case .memoryBytesPerKey: "bytes of memory per key"
        case .mappedBytesPerKey: "bytes of mapped files per key"
        case .peakMemoryBytes: "peak memory in bytes"
        case .indexBytesPerKey: "bytes of index per key"
        case .loadedIndexBytesPerKey: "bytes of index per key after opening"
        case .bytesPerIndexEntry: "bytes of memory per index entry"
        case .loadedBytesPerIndexEntry: "bytes of memory per index entry after opening"
        case .layerNanoseconds: "ns that the typed layer adds"
        case .repositoryNanoseconds: "ns per operation of a repository"
        case .storeNanoseconds: "ns per operation of the store"
        case .recordsPerSecond: "records a second"
        case .megabytesPerSecond: "MB a second"
        case .nanosecondsPerRecord: "ns per record"
        case .processorNanosecondsPerOperation: "ns of processor time per operation"
        case .syncs: "syncs"
        case .writesPerSync: "writes per sync"
        case .rotations: "rotations to a new segment"
        case .compactions: "compactions"
        case .stalls: "stalls"
        case .unexplainedStalls: "stalls without a slow disk"
        case .besidePerSecond: "operations a second of the other worker"
        case .done: "share done"
        }
    }
}
