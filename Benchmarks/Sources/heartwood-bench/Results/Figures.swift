/// The figures that a run may have in addition to rate and latency, with their names in the results.
enum Figure: String, Sendable, Codable, CaseIterable {
    /// Bytes passed to the system to be written, per byte put.
    case writeAmplification
    /// Disk space of the directory per byte of all keys and values: at the end, at most, and after compaction.
    case spaceAmplification
    case peakSpaceAmplification
    case compactedSpaceAmplification
    /// Disk space of the directory per byte of all keys and values, after everything was compacted.
    case diskBytesPerPayloadByte
    /// Memory of the process per key: without files, and of mapped files.
    case memoryBytesPerKey
    case mappedBytesPerKey
    /// Peak memory of the process in bytes, including mapped files.
    case peakMemoryBytes
    /// Bytes of Heartwood's index per key: after single puts, and after the store was opened again.
    case indexBytesPerKey
    case loadedIndexBytesPerKey
    /// Bytes of Heartwood's index per index entry of a repository: after saves, and after the store was opened again.
    case bytesPerIndexEntry
    case loadedBytesPerIndexEntry
    /// What the typed layer adds to an operation on bytes; the operation with it and without it.
    case layerNanoseconds
    case repositoryNanoseconds
    case storeNanoseconds
    /// Speed of an opening.
    case recordsPerSecond
    case megabytesPerSecond
    /// Time per record.
    case nanosecondsPerRecord
    /// Processor time of all threads.
    case processorNanosecondsPerOperation
    /// Heartwood's statistics of its log.
    case syncs
    case writesPerSync
    case rotations
    case compactions
    /// Periods in which all operations were more than 20 ms late, and those without a write or sync of that length.
    case stalls
    case unexplainedStalls
    /// Operations per second of the work that runs at the same time.
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
