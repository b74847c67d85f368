internal import Foundation

/// One run of a row on one engine, in its own process.
struct Cell: Sendable {
    let row: Row
    let data: Dataset
    /// The directory of the store.
    let store: String
    /// An empty directory for other files.
    let scratch: String
    /// The number of the run, counted from 0.
    let run: Int

    var info: RowInfo { row.info }
    var workers: Int { row.info.workers }
    /// The time of the run, in nanoseconds.
    var nanoseconds: UInt64 { UInt64(row.seconds * 1e9) }

    /// A different seed for each worker and each run.
    func seed(_ worker: Int) -> UInt64 { SplitMix64.mixed(UInt64(worker) << 20 | UInt64(run)) }

    /// One operation in this many is timed: all if each waits for the disk, few if each is fast.
    var interval: Int { row.use.promise == .survivesPowerLoss && info.promise != nil ? 1 : 16 }

    /// Creates an empty directory.
    func newDirectory(_ name: String) throws -> String {
        let path = "\(scratch)/\(name)-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }
}
