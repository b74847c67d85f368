import HeartwoodConcurrency
import HeartwoodFileSystem
import HeartwoodFormat
import Synchronization
import Testing

@testable import Heartwood

/// The segment of a record location.
@Suite struct SegmentTableTests {
    private let fileSystem = InMemoryFileSystem()
    private let table = SegmentTable()

    private func add(_ number: Int, _ bytes: UInt64) throws -> Segment {
        try table.add(number, bytes, in: fileSystem)
    }

    /// The number of an extent of the log, counted from its first one.
    private func log(_ extent: Int) -> Int { RecordLocation.firstLogExtent + extent }

    private func segment(_ extent: Int, _ offset: UInt64) -> Segment {
        table.segment(of: location(log(extent), offset)).takeUnretainedValue()
    }

    @Test func largeFilesTakeSeveralExtents() throws {
        let mebibyte: UInt64 = 1 << 20
        let sizes: [UInt64] = [0, 4_096, 63 * mebibyte, 64 * mebibyte, 65 * mebibyte, 300 * mebibyte, 1]
        var extents: [Range<Int>] = []
        var segments: [Segment] = []
        for (number, size) in sizes.enumerated() {
            let start = extents.last?.upperBound ?? 0
            segments.append(try add(number, size))
            #expect(segments[number].extent == log(start))
            extents.append(start..<start + Int(size / (64 * mebibyte)) + 1)
            #expect(table.endAddress == RecordLocation.address(extent: log(extents[number].upperBound), offset: 0))
        }
        for (segment, range) in zip(segments, extents) {
            for extent in range {
                #expect(self.segment(extent, 0) === segment)
                #expect(self.segment(extent, RecordLocation.extentBytes - 8) === segment)
            }
            #expect(segment.offset(of: location(segment.extent, 12_345 * 8)) == 12_345 * 8)
        }
        #expect(table.count == sizes.count && table.all.map(\.path) == segments.map(\.path))
    }

    @Test func theLastSegmentGrows() throws {
        _ = try add(0, 100)
        let last = try add(1, 100)
        table.extend(last, to: 100)
        #expect(table.endAddress == RecordLocation.address(extent: log(2), offset: 0))
        table.extend(last, to: 500 << 20)
        #expect(table.endAddress == RecordLocation.address(extent: log(9), offset: 0))
        table.extend(last, to: 100)
        #expect(table.endAddress == RecordLocation.address(extent: log(9), offset: 0), "nothing shrinks")
        #expect(segment(8, 0) === last && segment(1, 0) === last && segment(0, 0) !== last)
        #expect(try add(2, 100).extent == log(9))
    }

    /// Snapshots have lower addresses than all logs, even if they are added later. Retired ones are gone.
    @Test func snapshotsHaveLowerAddressesThanLogs() throws {
        let log = try add(0, 100)
        let header = FileHeader(
            kind: .snapshot, storeID: StoreID(low: 1, high: 2), salt: 5, firstSequence: 1,
            predecessor: FileHeader.Predecessor(salt: 1, lastSequence: 3, endOffset: 4096), creationTime: 0)
        let file = try fileSystem.openFile("/snapshot", for: .create)
        let first = table.add(header, file: file, path: "/a", bytes: 200 << 20)
        let second = table.add(header, file: file, path: "/b", bytes: 1)
        #expect(first.extent == 0 && first.extentCount == 4 && second.extent == 4)
        #expect(first.endAddress < log.baseAddress && second.endAddress < log.baseAddress)
        let inFirst = location(3, 8)
        #expect(inFirst.isInSnapshot && table.segment(of: inFirst).takeUnretainedValue() === first)
        #expect(!RecordLocation(address: log.baseAddress, length: 8).isInSnapshot)
        #expect(table.endAddress == log.endAddress && table.count == 1)
        table.retire([first])
        #expect(table.all.map(\.path) == ["/b", "/0"])
        let third = table.add(header, file: file, path: "/c", bytes: 1)
        #expect(third.extent == 5, "extents aren't reused")
    }
}

/// The same while the table grows. ThreadSanitizer checks more here than the expectations do.
@Suite struct SegmentTableConcurrencyTests {
    /// Readers look up published extents while the table grows and is replaced by larger ones.
    @Test func growsWhileItIsRead() throws {
        let fileSystem = InMemoryFileSystem()
        let table = SegmentTable()
        final class Published: Sendable {
            let extents = Atomic(0)
        }
        let published = Published()
        _ = try table.add(0, 0, in: fileSystem)
        published.extents.store(1, ordering: .releasing)
        let readers = try (0..<2).map { number in
            try startThread(name: "reader") {
                var random = SplitMix64(seed: UInt64(number))
                while true {
                    let count = published.extents.load(ordering: .acquiring)
                    let extent = Int.random(in: 0..<count, using: &random)
                    let base = RecordLocation.firstLogExtent
                    let segment = table.segment(of: location(base + extent, 8)).takeUnretainedValue()
                    // Each segment takes two extents, except the first.
                    let first = extent == 0 ? 0 : (extent - 1) / 2 * 2 + 1
                    if segment.extent != base + first {
                        fatalError("extent \(extent) belongs to the segment at \(segment.extent)")
                    }
                    if count > 1_500 { return }
                }
            }
        }
        for number in 1...800 {
            _ = try table.add(number, RecordLocation.extentBytes, in: fileSystem)
            published.extents.store(1 + 2 * number, ordering: .releasing)
        }
        for reader in readers { reader.join() }
        #expect(table.count == 801)
    }
}

private func location(_ extent: Int, _ offset: UInt64) -> RecordLocation {
    RecordLocation(address: RecordLocation.address(extent: extent, offset: offset), length: 8)
}

extension SegmentTable {
    /// Adds a segment of this size.
    fileprivate func add(_ number: Int, _ bytes: UInt64, in fileSystem: InMemoryFileSystem) throws -> Segment {
        let header = FileHeader(
            kind: .log, storeID: StoreID(low: 1, high: 2), salt: 5, firstSequence: UInt64(number) + 1,
            predecessor: nil, creationTime: 0)
        let file = try fileSystem.openFile("/\(number)", for: .create)
        return add(header, file: file, path: "/\(number)", bytes: bytes)
    }
}
