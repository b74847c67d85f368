import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodTesting
import Testing

@testable import Heartwood
@testable import HeartwoodInspection

/// What a repair brings back and what it lists as lost are together all that was written.
@Suite struct RepairAccountTests {
    /// Puts, a kill, a compaction by the next opening, and a write by the opening after it.
    private static func compactedAfterAKill() async throws -> DirectoryImage {
        let fileSystem = InMemoryFileSystem()
        let first = try await Store.open(at: DirectoryImage.path, configuration: WrittenStore.configuration(fileSystem))
        for number in 1...20 { try await first.put("key \(number)", "value \(number)") }
        let killed = try DirectoryImage(of: fileSystem).fileSystem()
        try await first.close()
        try await Store.withStore(at: DirectoryImage.path, configuration: WrittenStore.configuration(killed)) { store in
            _ = try await store.compact()
        }
        try await Store.withStore(at: DirectoryImage.path, configuration: WrittenStore.configuration(killed)) { store in
            _ = try await store.put("last", "value")
        }
        return try DirectoryImage(of: killed)
    }

    /// The segment after the snapshot is empty and begins at a multiple of 2^32. The snapshot still counts.
    @Test func aSnapshotBeforeAnEmptySegmentIsUsed() async throws {
        var image = try await Self.compactedAfterAKill()
        let name = try #require(image.snapshots.first)
        let records = try FileLayout.records(ofSnapshot: image.files[name]!)
        image.files[name]![records[3].part.lowerBound + 40] ^= 1
        try await expectSameVerdict(image, "a damaged record")
        for inPlace in [false, true] {
            let fileSystem = try image.fileSystem()
            let report =
                inPlace
                ? try Repair.runInPlace(DirectoryImage.path, now: 1, fileSystem: fileSystem)
                : try Repair.run(DirectoryImage.path, output: "/repaired", now: 1, fileSystem: fileSystem)
            #expect(report.certainty == .incomplete && report.losses.count == 1)
            #expect(report.losses.first?.keys == [records[3].key])
            #expect(report.sources.first { $0.name == name }?.use == .used)
            let found = try await WrittenStore.contents(of: fileSystem, at: try #require(report.output))
            #expect(found.count == 20 && found[records[3].key] == nil)
        }
    }

    /// Truncated at the end of each of its records, where the rest looks whole.
    @Test func aTruncatedSnapshotHasLostWhatFollowed() async throws {
        let written = try await WrittenStore.make(.compacted, seed: 71)
        let name = written.image.snapshots[0]
        let records = try FileLayout.records(ofSnapshot: written.image.files[name]!)
        for count in 0...records.count {
            var image = written.image
            let end = count == 0 ? 4_096 : records[count - 1].part.upperBound
            image.files[name] = Array(image.files[name]![..<end])
            let report = try Repair.plan(DirectoryImage.path, fileSystem: try image.fileSystem())
            #expect(report.certainty == .incomplete, "truncated at \(end)")
            for record in records[count...] {
                let isReported = report.losses.contains { $0.keyRange?.contains(record.key) ?? false }
                #expect(isReported, "truncated at \(end): record \(record.sequence)")
            }
            #expect(report.losses.count == 1 && report.snapshotKeys == UInt64(count))
        }
    }

    /// Without the footer, the key blocks still show where the records end.
    @Test func aSnapshotThatLostItsFooterHasLostNothing() async throws {
        let written = try await WrittenStore.make(.compacted, seed: 72)
        let name = written.image.snapshots[0]
        var image = written.image
        image.files[name]!.removeLast(70)
        let report = try Repair.plan(DirectoryImage.path, fileSystem: try image.fileSystem())
        #expect(report.losses.isEmpty && report.certainty == .complete)
    }

    @Test func nothingIsLostIsReportedOnlyOfAClosedLog() async throws {
        for shape in WrittenStore.Shape.allCases {
            let closed = try await WrittenStore.make(shape, seed: 73)
            #expect(try Repair.plan(DirectoryImage.path, fileSystem: closed.image.fileSystem()).certainty == .complete)
            let open = try await WrittenStore.make(shape, seed: 73, closes: false)
            let name = open.image.logs.last!
            let end = try FileLayout(log: open.image.files[name]!).end
            let report = try Repair.plan(DirectoryImage.path, fileSystem: open.image.fileSystem())
            #expect(report.losses.isEmpty)
            #expect(report.certainty == .unknownAfter(file: DirectoryImage.path + "/" + name, offset: UInt64(end)))
        }
    }

    /// Nothing may be written after a closing mark: cut off there, the log would look as if it were whole.
    @Test func aLogThatWasCutOffIsNeverComplete() async throws {
        let fileSystem = InMemoryFileSystem()
        for _ in 0..<2 {
            try await Store.withStore(at: DirectoryImage.path, configuration: WrittenStore.configuration(fileSystem)) {
                for number in 1...3 { try await $0.put("key \(number)", "value") }
            }
            try await Store.withStore(at: DirectoryImage.path, configuration: WrittenStore.configuration(fileSystem)) {
                _ = try await $0.compact()
            }
            try await Store.withStore(at: DirectoryImage.path, configuration: WrittenStore.configuration(fileSystem)) {
                for number in 1...3 { try await $0.put("key \(number)", "newer") }
            }
        }
        let image = try DirectoryImage(of: fileSystem)
        let name = try #require(image.logs.last)
        for end in stride(from: 4_096, to: image.files[name]!.count, by: 8) {
            var cut = image
            cut.files[name]!.removeLast(image.files[name]!.count - end)
            let report = try Repair.plan(DirectoryImage.path, fileSystem: try cut.fileSystem())
            #expect(report.certainty != .complete, "cut off at \(end)")
        }
    }

    /// The header of a segment is destroyed, and all records in it are an older segment's, at other offsets.
    @Test func recordsThatWereMovedToAnotherFileArentItsOwn() async throws {
        let written = try await WrittenStore.make(.log, seed: 78)
        let (first, second) = (written.image.logs[0], written.image.logs[1])
        let own = UInt64(second.prefix(16), radix: 16)!..<UInt64(written.image.logs[2].prefix(16), radix: 16)!
        let expected = written.state(of: written.changes.keys.filter { !own.contains($0) })
        for distance in [8, 512, 4_096] {
            var image = written.image
            var bytes = [UInt8](repeating: 0, count: 4_096 + distance)
            bytes += image.files[first]![4_096...].dropLast(distance)
            image.files[second] = bytes
            let files = try image.fileSystem()
            let report = try Repair.run(DirectoryImage.path, output: "/repaired", now: 1, fileSystem: files)
            #expect(report.losses.contains { $0.sequences == own.lowerBound...own.upperBound - 1 }, "\(distance)")
            let found = try await WrittenStore.contents(of: files, at: "/repaired")
            #expect(found.mapValues(\.value) == expected.mapValues(\.value), "\(distance)")
        }
    }

    @Test func aSnapshotIsNeverTheLastFile() async throws {
        let written = try await WrittenStore.make(.compacted, seed: 74)
        var image = written.image
        let covered = UInt64(image.snapshots[0].prefix(16), radix: 16)!
        for name in image.logs { image.files[name] = nil }
        let report = try Repair.plan(DirectoryImage.path, fileSystem: try image.fileSystem())
        #expect(report.certainty == .incomplete && report.losses.count == 1)
        #expect(report.losses.first?.sequences?.lowerBound == covered + 1 && report.losses.first?.isExact == false)
    }

    /// One file of each store: neither store is more likely.
    @Test func betweenTwoStoresTheCallerDecides() async throws {
        let mine = try await WrittenStore.make(.log, seed: 75)
        let other = try await WrittenStore.make(.log, seed: 76)
        var image = DirectoryImage()
        image.files[mine.image.logs[0]] = mine.image.files[mine.image.logs[0]]
        image.files["other"] = other.image.files[other.image.logs[1]]
        #expect(throws: Never.self) { try Repair.plan(DirectoryImage.path, fileSystem: image.fileSystem()) }
        image.files[other.image.logs[1]] = image.files.removeValue(forKey: "other")
        let error = #expect(throws: StoreError.self) {
            try Repair.plan(DirectoryImage.path, fileSystem: image.fileSystem())
        }
        #expect(error?.code == .invalidArgument)
    }

    /// An unfinished repair is marked as such.
    @Test func whatAKilledRepairLeftIsRemoved() async throws {
        let written = try await WrittenStore.make(.log, seed: 77)
        let fileSystem = try written.image.fileSystem()
        let store = try NewStore("/repaired.partial", now: 1, in: fileSystem)
        _ = store
        let report = try Repair.run(DirectoryImage.path, output: "/repaired", now: 1, fileSystem: fileSystem)
        #expect(report.batches == 70)
        #expect(try !fileSystem.contents(ofDirectory: "/repaired").contains(NewStore.unfinishedName))
        #expect(try fileSystem.kind(of: "/repaired.partial") == nil)
    }
}
