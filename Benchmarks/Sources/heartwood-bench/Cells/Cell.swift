internal import Foundation

/// One run of a row on one engine, in the process that does nothing else.
struct Cell: Sendable {
    let row: Row
    let data: Dataset
    /// The directory of the store.
    let store: String
    /// An empty directory for what else is needed.
    let scratch: String
    /// Which run it is, counted from 0.
    let run: Int

    var info: RowInfo { row.info }
    var workers: Int { row.info.workers }
    /// The time of the run, in nanoseconds.
    var nanoseconds: UInt64 { UInt64(row.seconds * 1e9) }

    /// A seed that is another for each worker and each run.
    func seed(_ worker: Int) -> UInt64 { SplitMix64.mixed(UInt64(worker) << 20 | UInt64(run)) }

    /// One of so many operations is timed by itself: all where each waits for the disk, few where each is quick.
    var interval: Int { row.use.promise == .survivesPowerLoss && info.promise != nil ? 1 : 16 }

    /// A fresh, empty directory.
    func freshDirectory(_ name: String) throws -> String {
        let path = "\(scratch)/\(name)-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }
}
