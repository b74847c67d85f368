/// Something that a run measures besides how many operations a second there were.
enum Figure: String, Sendable, Codable, CaseIterable {
    /// Bytes given to the system to be written, for each byte of key and value that was put.
    case writtenAByte
    /// The most room that the directory took at any moment, for each byte of the keys and values that are live.
    case peakOfPairs
    /// The same for each byte of the live values' records, as the engine counts them.
    case peakOfRecords
    /// The room that it took after all was compacted, for each byte of the keys and values that are live.
    case compactedOfPairs
    /// The same for each byte of the live values' records, as the engine counts them.
    case compactedOfRecords
    /// Compactions that were completed meanwhile.
    case compactions
    /// Times at which puts waited for longer than 20 ms.
    case stalls
    /// Of those the ones that no write or sync of at least their length explains.
    case unexplainedStalls
    /// Nanoseconds of an opening for each key.
    case openingAKey
    /// Bytes given to the system to be written, for each put.
    case writtenAPut
    /// Nanoseconds of the processor, of all threads of the process, for each put.
    case processorAPut

    /// What stands in the table.
    var title: String {
        switch self {
        case .writtenAByte: "bytes written, by bytes put"
        case .peakOfPairs: "most disk, by live keys and values"
        case .peakOfRecords: "most disk, by statistics.liveBytes"
        case .compactedOfPairs: "disk after compaction, by live keys and values"
        case .compactedOfRecords: "disk after compaction, by statistics.liveBytes"
        case .compactions: "compactions"
        case .stalls: "stalls over 20 ms"
        case .unexplainedStalls: "stalls over 20 ms without a write or sync as long"
        case .openingAKey: "ns of opening a key"
        case .writtenAPut: "bytes written a put"
        case .processorAPut: "ns of processor a put"
        }
    }

    /// Digits after the point.
    var digits: Int {
        switch self {
        case .writtenAByte, .peakOfPairs, .peakOfRecords, .compactedOfPairs, .compactedOfRecords: 2
        case .openingAKey, .writtenAPut: 1
        case .compactions, .stalls, .unexplainedStalls, .processorAPut: 0
        }
    }

    /// Whether a target holds for each run, so that the highest is judged rather than the median.
    var isForEachRun: Bool {
        switch self {
        case .peakOfPairs, .peakOfRecords, .stalls, .unexplainedStalls: true
        default: false
        }
    }

    func text(_ value: Double) -> String { Numbers.decimal(value, digits: digits) }
}
