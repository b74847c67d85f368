import HeartwoodCampaignSupport
import HeartwoodConcurrency
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodTesting
import Testing

@testable import Heartwood
@testable import HeartwoodInspection

/// The options of a repair, and what it leaves.
@Suite struct RepairTests {
    private static let now: UInt64 = 1_700_000_200_000

    /// Many sectors at once, in all parts of the store.
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func manyBadSectorsLoseOnlyWhatTheyTouch(_ seed: UInt64) async throws {
        let written = try await WrittenStore.make(
            seed % 3 == 0 ? .compacted : .log, seed: seed + 40, closes: seed % 2 == 0)
        var random = SeededRandom(seed, 66)
        var image = written.image
        for name in image.logs {
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let bytes = image.files[name]!
                let kind = [DamageKind.bitFlip, .zeroedSector, .garbageSector, .duplicatedBlock].randomElement(
                    using: &random)!
                let end = try FileLayout(log: written.image.files[name]!).end
                image.files[name] = kind.damage(bytes, at: Int.random(in: 0..<end, using: &random), &random)
            }
        }
        let recoverable = try Oracle(written).recoverable(in: image)
        try await expectRepaired(image, written, recoverable, "seed \(seed)")
        try await expectSameVerdict(image, "seed \(seed)")
    }

    @Test func upToANumber() async throws {
        for shape in WrittenStore.Shape.allCases {
            let written = try await WrittenStore.make(shape, seed: 51)
            for limit: UInt64 in [75, 100, 139, 1_000] {
                var options = RepairOptions()
                options.upToSequence = limit
                var expected = try Oracle(written).recoverable(in: written.image)
                expected.sequences = expected.sequences.filter { $0 <= limit }
                try await expectRepaired(written.image, written, expected, "\(shape) up to \(limit)", options)
            }
        }
        // For a number before the snapshot's, all of the log is needed.
        var options = RepairOptions()
        options.upToSequence = 30
        let kept = try await WrittenStore.make(.kept, seed: 52)
        let early = Oracle.Recoverable(sequences: Set(1...30))
        try await expectRepaired(kept.image, kept, early, "kept up to 30", options)
        let compacted = try await WrittenStore.make(.compacted, seed: 52)
        let error = #expect(throws: StoreError.self) {
            try Repair.plan(DirectoryImage.path, options, fileSystem: try compacted.image.fileSystem())
        }
        #expect(error?.code == .invalidArgument && error?.message.contains("number 70") ?? false)
    }

    @Test func upToATime() async throws {
        let fileSystem = InMemoryFileSystem()
        let clock = ManualClock(milliseconds: 1_700_000_000_000)
        var configuration = WrittenStore.configuration(fileSystem)
        configuration.clock = clock
        let store = try await Store.open(at: DirectoryImage.path, configuration: configuration)
        for number in 0..<10 {
            clock.set(1_700_000_000_000 + UInt64(number) * 1_000)
            try await store.put("key \(number)", "\(number)", durability: .synced)
        }
        try await store.close()
        var options = RepairOptions()
        options.upToTime = 1_700_000_004_500
        _ = try Repair.run(DirectoryImage.path, output: "/then", options, now: Self.now, fileSystem: fileSystem)
        let found = try await WrittenStore.contents(of: fileSystem, at: "/then")
        #expect(Set(found.keys.map { String(decoding: $0, as: UTF8.self) }) == Set((0...4).map { "key \($0)" }))
    }

    @Test func whatIsLeftOfABatchIsKeptOnRequest() async throws {
        let written = try await WrittenStore.make(.log, seed: 53)
        let name = written.image.logs[1]
        let layout = try FileLayout(log: written.image.files[name]!)
        let batch = try #require(layout.batches.first { $0.value.count > 1 })
        var image = written.image
        image.files[name]![batch.value[1].lowerBound + 33] ^= 4
        let fileSystem = try image.fileSystem()
        let left = try Repair.plan(DirectoryImage.path, fileSystem: fileSystem)
        #expect(left.batchesLeftOut == 1 && left.partialBatches == 0)
        #expect(left.losses.map(\.sequences) == [batch.key...batch.key])
        #expect(left.losses.first?.offset == UInt64(batch.value[1].lowerBound))
        let keys = try #require(written.changes[batch.key]).map(\.key)
        #expect(left.losses.first?.keys.contains(keys[0]) ?? false, "the keys of what is left are known")
        var options = RepairOptions()
        options.keepsPartial = true
        let kept = try Repair.run(DirectoryImage.path, output: "/kept", options, now: Self.now, fileSystem: fileSystem)
        #expect(kept.partialBatches == 1 && kept.batches == 70)
        var partial = written
        partial.changes[batch.key]!.remove(at: 1)
        let found = try await WrittenStore.contents(of: fileSystem, at: "/kept")
        #expect(found == partial.state(of: partial.changes.keys))
    }

    /// A number that a reader may have seen is not given to another write.
    @Test func numbersThatAreLostAreNotGivenAgain() async throws {
        let written = try await WrittenStore.make(.log, seed: 54)
        let name = written.image.logs.last!
        let layout = try FileLayout(log: written.image.files[name]!)
        let last = try #require(layout.commits.last { !$0.records.isEmpty }?.records.last)
        var image = written.image
        image.files[name]![last.part.lowerBound + 34] ^= 1
        let fileSystem = try image.fileSystem()
        let report = try Repair.run(DirectoryImage.path, output: "/repaired", now: Self.now, fileSystem: fileSystem)
        #expect(report.lastSequence == 69 && report.highestSequence == 70)
        var configuration = WrittenStore.configuration(fileSystem)
        configuration.createIfMissing = false
        let store = try await Store.open(at: "/repaired", configuration: configuration)
        let next = try await store.put("a", "b")
        #expect(next > 70)
        try await store.close()
        // If nothing is lost, the numbers continue without a gap.
        let whole = try written.image.fileSystem()
        _ = try Repair.run(DirectoryImage.path, output: "/repaired", now: Self.now, fileSystem: whole)
        configuration.fileSystem = whole
        let second = try await Store.open(at: "/repaired", configuration: configuration)
        #expect(try await second.put("a", "b") == 71)
        try await second.close()
    }

    /// Only the damaged record itself has the number.
    @Test func theNumberOfATornRecordIsNotGivenAgain() async throws {
        let written = try await WrittenStore.make(.log, seed: 61, closes: false)
        let name = written.image.logs.last!
        let layout = try FileLayout(log: written.image.files[name]!)
        let last = try #require(layout.commits.last { !$0.records.isEmpty }?.records.last)
        var image = written.image
        image.files[name]![last.part.lowerBound + 34] ^= 1
        let fileSystem = try image.fileSystem()
        let report = try Repair.run(DirectoryImage.path, output: "/repaired", now: Self.now, fileSystem: fileSystem)
        #expect(report.lastSequence < 70 && report.highestSequence == 70)
        let store = try await Store.open(at: "/repaired", configuration: WrittenStore.configuration(fileSystem))
        #expect(try await store.put("a", "b") > 70)
        try await store.close()
    }

    /// A torn commit that the next opening skipped: another write has its number now.
    @Test func whatIsBehindARecordedEndIsDead() async throws {
        let written = try await WrittenStore.make(.log, seed: 60, closes: false)
        let name = written.image.logs.last!
        let layout = try FileLayout(log: written.image.files[name]!)
        let torn = try #require(layout.commits.last { !$0.records.isEmpty })
        let numbers = Set(torn.records.map(\.sequence))
        var image = written.image
        image.files[name]![torn.part.lowerBound + 20] ^= 1
        let fileSystem = try image.fileSystem()
        let store = try await Store.open(at: DirectoryImage.path, configuration: WrittenStore.configuration(fileSystem))
        try await store.put("after", "it")
        try await store.close()
        // As if the commit had reached the disk late.
        var late = try DirectoryImage(of: fileSystem)
        late.files[name]![torn.part.lowerBound + 20] ^= 1
        let files = try late.fileSystem()
        _ = try Repair.run(DirectoryImage.path, output: "/repaired", now: Self.now, fileSystem: files)
        var expected = written.state(of: written.changes.keys.filter { !numbers.contains($0) })
        expected[Array("after".utf8)] = WrittenStore.Found(value: Array("it".utf8), sequence: 1 << 32)
        #expect(try await WrittenStore.contents(of: files, at: "/repaired") == expected)
    }

    @Test func lostNumbersAreMarkedInTheNewStore() async throws {
        let written = try await WrittenStore.make(.log, seed: 55)
        var image = written.image
        image.files[image.logs[3]] = nil
        let lost = try FileLayout(log: written.image.files[written.image.logs[3]]!).batches.keys
        let fileSystem = try image.fileSystem()
        _ = try Repair.run(DirectoryImage.path, output: "/repaired", now: Self.now, fileSystem: fileSystem)
        var filter = LogFilter()
        filter.kinds = [RecordKind.lostBatch.rawValue]
        var marked: [UInt64] = []
        try LogReading.run("/repaired", filter, fileSystem: fileSystem) { item in
            if case .record(let record) = item { marked.append(record.sequence) }
            return true
        }
        #expect(marked == lost.sorted())
        // A repaired store can be repaired again without a loss.
        let again = try Repair.run("/repaired", output: "/again", now: Self.now, fileSystem: fileSystem)
        #expect(again.isComplete)
    }

    @Test func inPlaceTheOldFilesAreMovedAside() async throws {
        let written = try await WrittenStore.make(.kept, seed: 56)
        let name = written.image.logs.last!
        var image = written.image
        image.files[name]![5_000] ^= 1
        image.files["notes.txt"] = Array("not ours".utf8)
        let fileSystem = try image.fileSystem()
        let recoverable = try Oracle(written).recoverable(in: image)
        let report = try Repair.runInPlace(DirectoryImage.path, now: Self.now, fileSystem: fileSystem)
        let aside = try #require(report.movedTo)
        var old = try DirectoryImage(of: fileSystem, at: aside)
        for name in ["notes.txt", StoreFileName.keepLogName] { old.files[name] = image.files[name] }
        #expect(old.files == image.files, "no old file is changed or missing")
        let found = try await WrittenStore.contents(of: fileSystem, at: DirectoryImage.path)
        #expect(found == written.state(of: recoverable.sequences, after: recoverable.base))
        let names = try fileSystem.contents(ofDirectory: DirectoryImage.path)
        #expect(names.contains("notes.txt") && !names.contains { $0.hasSuffix(".partial") })
    }

    @Test func aStoreInUseIsNotRepairedInPlace() async throws {
        let fileSystem = InMemoryFileSystem()
        let store = try await Store.open(at: DirectoryImage.path, configuration: WrittenStore.configuration(fileSystem))
        try await store.put("a", "b")
        let error = #expect(throws: StoreError.self) {
            try Repair.runInPlace(DirectoryImage.path, now: Self.now, fileSystem: fileSystem)
        }
        #expect(error?.code == .locked)
        try await store.close()
    }

    /// Wherever the exchange of files stops, the store opens as before or as repaired, or the opening is refused. The
    /// next repair succeeds, and leaves no other files.
    @Test func anInterruptedExchangeIsUndoneByTheNextRepair() async throws {
        let written = try await WrittenStore.make(.compacted, seed: 57)
        let recoverable = try Oracle(written).recoverable(in: written.image)
        let expected = written.state(of: recoverable.sequences, after: recoverable.base)
        var refused = 0
        for stop in 0..<200 {
            let fileSystem = try written.image.fileSystem()
            let failing = FailingRenames(fileSystem, after: stop)
            guard (try? Repair.runInPlace(DirectoryImage.path, now: Self.now, fileSystem: failing)) == nil else {
                #expect(stop > written.image.files.count)
                break
            }
            do {
                #expect(try await WrittenStore.contents(of: fileSystem, at: DirectoryImage.path) == expected)
            } catch let error as StoreError {
                #expect(error.message == RepairGuard.message, "\(error)")
                let check = try Verification.run(DirectoryImage.path, fileSystem: fileSystem, patience: .none)
                #expect(check.findings.first?.what == RepairGuard.message && !check.opens)
                refused += 1
            }
            let outside = try Repair.run(DirectoryImage.path, output: "/outside", now: 1, fileSystem: fileSystem)
            #expect(try await WrittenStore.contents(of: fileSystem, at: "/outside") == expected && outside.isComplete)
            // With the same time as the first one, which is in the directory's name.
            let report = try Repair.runInPlace(DirectoryImage.path, now: Self.now, fileSystem: fileSystem)
            #expect(try await WrittenStore.contents(of: fileSystem, at: DirectoryImage.path) == expected)
            let old = try DirectoryImage(of: fileSystem, at: try #require(report.movedTo))
            #expect(old.files == written.image.files || refused == 0, "stopped at \(stop)")
            let rest = try fileSystem.contents(ofDirectory: DirectoryImage.path).filter { !StoreFileName($0).isData }
            #expect(rest.allSatisfy { $0 == "LOCK" || $0.hasPrefix("damaged-") }, "\(rest)")
            #expect(try fileSystem.kind(of: DirectoryImage.path + "/" + RepairGuard.name) == nil)
        }
        #expect(refused > 2)
    }

    /// The next repair first puts the old files back. Interrupted, it never leaves only a part of them as a store.
    @Test func anInterruptedReturnOfTheOldFilesIsRepeated() async throws {
        let written = try await WrittenStore.make(.compacted, seed: 62)
        let recoverable = try Oracle(written).recoverable(in: written.image)
        let expected = written.state(of: recoverable.sequences, after: recoverable.base)
        var refused = 0
        for first in stride(from: 4, to: 200, by: 9) {
            var isOver = false
            for second in 0..<200 {
                let fileSystem = try written.image.fileSystem()
                let failing = FailingRenames(fileSystem, after: first)
                isOver = (try? Repair.runInPlace(DirectoryImage.path, now: Self.now, fileSystem: failing)) != nil
                // Without the guard, no file was moved.
                let isGuarded = try fileSystem.kind(of: DirectoryImage.path + "/" + RepairGuard.name) != nil
                guard !isOver, isGuarded else { break }
                let again = FailingRenames(fileSystem, after: second)
                let isDone = (try? Repair.runInPlace(DirectoryImage.path, now: Self.now, fileSystem: again)) != nil
                do {
                    let found = try await WrittenStore.contents(of: fileSystem, at: DirectoryImage.path)
                    #expect(found == expected, "stopped at \(first) and \(second)")
                } catch let error as StoreError {
                    #expect(error.message == RepairGuard.message, "stopped at \(first) and \(second): \(error)")
                    refused += 1
                }
                if isDone { break }
                _ = try Repair.runInPlace(DirectoryImage.path, now: Self.now, fileSystem: fileSystem)
                #expect(try await WrittenStore.contents(of: fileSystem, at: DirectoryImage.path) == expected)
            }
            if isOver { break }
        }
        #expect(refused > 10)
    }

    @Test func anExistingOutputIsRefused() async throws {
        let written = try await WrittenStore.make(.log, seed: 58)
        let fileSystem = try written.image.fileSystem()
        func code(_ output: String) -> StoreError.Code? {
            do {
                _ = try Repair.run(DirectoryImage.path, output: output, now: Self.now, fileSystem: fileSystem)
                return nil
            } catch {
                return (error as? StoreError)?.code
            }
        }
        #expect(code(DirectoryImage.path) == .invalidArgument)
        #expect(code(DirectoryImage.path + "/new") == .invalidArgument)
        try fileSystem.createDirectory("/empty")
        #expect(code("/empty") == nil)
        #expect(code("/empty") == .invalidArgument, "it isn't empty any more")
        try fileSystem.createDirectory("/other.partial")
        try fileSystem.openFile("/other.partial/something", for: .create).close()
        #expect(code("/other") == .invalidArgument)
        #expect(throws: StoreError.self) { try Repair.plan("/nowhere", fileSystem: fileSystem) }
        #expect(throws: StoreError.self) { try Repair.plan("/other.partial", fileSystem: fileSystem) }
    }

    /// Millions of numbers are missing: a repair doesn't write a file or a record for each.
    @Test func largeHolesTakeAFileEach() async throws {
        let written = try await WrittenStore.make(.log, seed: 59)
        var image = written.image
        // Reopened after a crash: the numbers continue far later.
        image.files[image.logs.last!]!.removeLast(48)
        let crashed = try image.fileSystem()
        var configuration = WrittenStore.configuration(crashed)
        configuration.createIfMissing = false
        let store = try await Store.open(at: DirectoryImage.path, configuration: configuration)
        let far = try await store.put("far", "away")
        try await store.close()
        #expect(far >= 1 << 32)
        let report = try Repair.run(DirectoryImage.path, output: "/repaired", now: Self.now, fileSystem: crashed)
        #expect(report.isComplete && report.batches == 71)
        #expect(try crashed.contents(ofDirectory: "/repaired").count == 2)
    }
}

/// Fails after so many files were renamed or removed.
private final class FailingRenames: FileSystem {
    private let base: InMemoryFileSystem
    private let left: Locked<Int>

    init(_ base: InMemoryFileSystem, after count: Int) {
        self.base = base
        left = Locked(count)
    }

    private func check(_ operation: FileSystemError.Operation, _ path: String) throws(FileSystemError) {
        let isOver = left.withLock { left in
            left -= 1
            return left < 0
        }
        if isOver { throw FileSystemError(operation: operation, path: path, code: 5) }
    }

    func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        try base.openFile(path, for: access)
    }

    func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        try check(.rename, path)
        try base.rename(path, to: newPath)
    }

    func remove(_ path: String) throws(FileSystemError) {
        // Removals of other files clean up a failed attempt, and are no steps of the exchange.
        if path.hasSuffix(".log") { try check(.remove, path) }
        try base.remove(path)
    }

    func contents(ofDirectory path: String) throws(FileSystemError) -> [String] { try base.contents(ofDirectory: path) }
    func createDirectory(_ path: String) throws(FileSystemError) { try base.createDirectory(path) }
    func syncDirectory(_ path: String) throws(FileSystemError) { try base.syncDirectory(path) }
    func kind(of path: String) throws(FileSystemError) -> FileKind? { try base.kind(of: path) }
    func lock(_ path: String) throws(FileSystemError) -> any FileLock { try base.lock(path) }
}
