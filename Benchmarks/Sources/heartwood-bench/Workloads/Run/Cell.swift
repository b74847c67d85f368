internal import Foundation

/// A request of the parent to a child process: one run of one cell, or making a fixture.
struct CellSpec: Sendable, Codable {
    enum Action: Sendable, Codable, Equatable {
        case measure
        case makeFixture
        /// Tries the changes from this number on.
        case damage(from: Int)
    }

    var action: Action
    var engine: EngineID
    var parameters: Parameters
    /// The row; for a fixture, any row that starts from it.
    var row: String
    /// The number of the run, counted from 0. Each run reads other keys.
    var run = 0
    /// The directory of the store: empty, a fixture, or a copy of a fixture.
    var store: String
    /// An empty directory for other files.
    var scratch: String
}

/// One run of a row on one engine, in its own process.
struct Cell: Sendable {
    let spec: CellSpec
    let row: Row
    let data: Dataset

    init(_ spec: CellSpec) throws {
        self.spec = spec
        row = try Catalogue(spec.parameters).row(spec.row)
        data = Dataset(
            seed: spec.parameters.seed, keyCount: row.info.keys, valueBytes: row.info.valueBytes, order: row.order,
            makeValue: row.hasDocuments ? { JSONDocument.make(&$0) } : nil)
    }

    var workers: Int { row.info.workers }
    /// The time of the run, in nanoseconds.
    var nanoseconds: UInt64 { UInt64(row.seconds * 1e9) }

    /// A different seed for each worker and each run.
    func seed(_ worker: Int) -> UInt64 { SplitMix64.mixed(UInt64(worker) << 20 | UInt64(spec.run)) }

    /// One operation in this many is timed: all if each waits for the disk, few if each is fast.
    var interval: Int { row.info.promise == .survivesPowerLoss ? 1 : 16 }

    /// Ends after the time of the run.
    func stopwatch(since start: UInt64, interval: Int? = nil) -> Stopwatch {
        Stopwatch(deadline: start + nanoseconds, interval: interval ?? self.interval)
    }

    /// A walk through a worker's keys, in the order of their numbers. Each round gives them other values.
    func walk(_ worker: Int = 0, round: Int = 0) -> KeyWalk {
        KeyWalk(
            .sequential, KeyWalk.range(of: worker, of: workers, in: row.info.keys), valueCount: data.values.count,
            round: round)
    }

    /// Random keys of a worker's range, with other values than those of a filled store.
    func randomWalk(_ worker: Int = 0, of workers: Int? = nil) -> KeyWalk {
        KeyWalk(
            .random(seed: seed(worker)), KeyWalk.range(of: worker, of: workers ?? self.workers, in: row.info.keys),
            valueCount: data.values.count, round: 1)
    }

    /// Creates an empty directory.
    func newDirectory(_ name: String) throws -> String {
        let path = "\(spec.scratch)/\(name)-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }
}
