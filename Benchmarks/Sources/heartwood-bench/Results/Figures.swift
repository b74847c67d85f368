/// The figures that a run may have in addition to rate and latency, with their names in the results.
enum Figure: String, Sendable, Codable {
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
}
