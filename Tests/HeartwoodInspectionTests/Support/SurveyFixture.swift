import Heartwood
import HeartwoodFileSystem
import HeartwoodInspection
import HeartwoodTesting

/// A store of small segments on a simulated disk, and surveys of what is on it.
struct SurveyFixture {
    /// A clock that stands still.
    struct StillClock: StoreClock {
        var milliseconds: UInt64
        func now() -> Timestamp { Timestamp(milliseconds: milliseconds) }
    }

    static let start: UInt64 = 1_700_000_000_000
    let disk = SimulatedDisk(seed: 1)
    let path = "/store"

    func withStore(
        at time: UInt64 = start, _ change: (inout Store.Configuration) -> Void = { _ in },
        _ body: (Store) async throws -> Void
    ) async throws {
        var configuration = Store.Configuration()
        configuration.fileSystem = disk
        configuration.clock = StillClock(milliseconds: time)
        configuration.segmentBytes = 16 << 10
        configuration.compaction = .manual
        change(&configuration)
        let store = try await Store.open(at: path, configuration: configuration)
        try await body(store)
        try await store.close()
    }

    func fill(_ store: Store, _ numbers: Range<Int>, bytes: Int = 100) async throws {
        for number in numbers {
            try await store.put(
                "key/\(number)", [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes),
                durability: .buffered)
        }
        try await store.sync()
    }

    /// The same in batches of fifty, each a commit of its own, so that all offsets are the same each time.
    func fillInBatches(_ store: Store, _ numbers: Range<Int>) async throws {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 50) {
            try await store.write(durability: .synced) { batch in
                for number in start..<min(start + 50, numbers.upperBound) {
                    batch.put("key/\(number)", [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100))
                }
            }
        }
    }

    func survey(
        of image: DiskImage? = nil, _ file: String = "", now: UInt64 = start,
        records: RecordSelection? = RecordSelection()
    ) throws -> StoreSurvey {
        try StoreSurvey.make(
            of: file.isEmpty ? path : path + "/" + file, cells: 100, now: now, records: records,
            fileSystem: SimulatedDisk(image: image ?? disk.image))
    }

    /// The names of the files with this suffix, in order.
    func names(_ suffix: String) -> [String] {
        disk.image.files.compactMap { path in
            path.hasSuffix(suffix) ? path.split(separator: "/").last.map(String.init) : nil
        }
    }

    /// The disk with one bit of a file changed.
    func flipping(_ name: String, at offset: Int, in image: DiskImage? = nil) -> DiskImage {
        var image = image ?? disk.image
        image[path: path + "/" + name]?[offset] ^= 1
        return image
    }
}

extension RecordDetails {
    var all: [Record] { (0..<count).map { self[$0] } }
}

extension RecordDetails.Record {
    var keyText: String { String(decoding: key, as: UTF8.self) }
}
