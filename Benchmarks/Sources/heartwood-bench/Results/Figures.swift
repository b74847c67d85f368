/// The figures that a run may have besides its rate and its latency, by the names that results use.
enum Figure: String, Sendable, Codable, CaseIterable {
    /// Bytes given to the system to be written, by bytes put.
    case writeAmplification
    /// Blocks of the directory at the end, by the bytes of all keys and values; at most; and after compaction.
    case spaceAmplification
    case peakSpaceAmplification
    case compactedSpaceAmplification
    /// Blocks of the directory by the bytes of all keys and values, once all was compacted.
    case diskBytesPerPayloadByte
    /// Memory of the process beyond its files' cache, by the keys, and that of mapped files.
    case memoryBytesPerKey
    case mappedBytesPerKey
    /// The most memory of the process, in bytes, files' cache that it maps included.
    case peakMemoryBytes
    /// Bytes of Heartwood's index by its keys, after single puts and after the store was opened anew.
    case indexBytesPerKey
    case loadedIndexBytesPerKey
    /// Of an opening.
    case recordsPerSecond
    case megabytesPerSecond
    /// Time by records.
    case nanosecondsPerRecord
    /// Of the processor, all threads.
    case processorNanosecondsPerOperation
    /// What Heartwood tells of its log.
    case syncs
    case writesPerSync
    case rotations
    case compactions
    /// Rows of operations that were all more than 20 ms late, and those of them with no write or sync as long.
    case stalls
    case unexplainedStalls
    /// Operations a second of what goes on beside what is measured.
    case besidePerSecond
    /// The share of the work that was done when the time was over, where it is a fixed amount.
    case done

    /// What it is, for people.
    var title: String {
        switch self {
        case .writeAmplification: "bytes written a byte put"
        case .spaceAmplification: "disk, by live bytes"
        case .peakSpaceAmplification: "most disk, by live bytes"
        case .compactedSpaceAmplification: "disk after compaction, by live bytes"
        case .diskBytesPerPayloadByte: "disk, by bytes put"
        case .memoryBytesPerKey: "bytes of memory a key"
        case .mappedBytesPerKey: "bytes mapped from files a key"
        case .peakMemoryBytes: "most memory, bytes"
        case .indexBytesPerKey: "bytes of index a key"
        case .loadedIndexBytesPerKey: "bytes of index a key, opened anew"
        case .recordsPerSecond: "records a second"
        case .megabytesPerSecond: "MB a second"
        case .nanosecondsPerRecord: "ns a record"
        case .processorNanosecondsPerOperation: "ns of processor an operation"
        case .syncs: "syncs"
        case .writesPerSync: "writes a sync"
        case .rotations: "turns to a new segment"
        case .compactions: "compactions"
        case .stalls: "stalls"
        case .unexplainedStalls: "stalls without a slow disk"
        case .besidePerSecond: "operations a second beside"
        case .done: "share done"
        }
    }
}
