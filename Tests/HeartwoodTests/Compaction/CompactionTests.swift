import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// What a compaction does to a store: nothing that anybody sees, but for the files.
@Suite struct CompactionTests {
    let disk = SimulatedDisk(seed: 1)
    let clock = ManualClock(milliseconds: 1_700_000_000_000)
    let path = "/store"

    private var configuration: Store.Configuration {
        var configuration = Store.Configuration()
        configuration.fileSystem = disk
        configuration.clock = clock
        configuration.segmentBytes = 16 << 10
        configuration.commitBufferBytes = 64 << 10
        configuration.timing.mark = .max
        return configuration
    }

    private func open(_ change: (inout Store.Configuration) -> Void = { _ in }) async throws -> Store {
        var configuration = configuration
        change(&configuration)
        return try await Store.open(at: path, configuration: configuration)
    }

    private var files: [String] { (try? disk.contents(ofDirectory: path))?.filter { $0 != "LOCK" } ?? [] }
    private var logs: [String] { files.filter { $0.hasSuffix(".log") } }
    private var snapshots: [String] { files.filter { $0.hasSuffix(".snapshot") } }

    private func fill(_ store: Store, _ numbers: Range<Int>, round: Int = 0) async throws {
        for number in numbers {
            try await store.put(
                "key/\(number)", ValuePattern(identity: UInt64(number * 100 + round), length: number % 900).bytes,
                durability: .buffered)
        }
        try await store.flush()
    }

    private func expect(_ store: Store, _ numbers: Range<Int>, round: Int = 0) throws {
        for number in numbers {
            let value = try #require(try store.get("key/\(number)"), "key/\(number)")
            #expect(ValuePattern(identity: UInt64(number * 100 + round), length: number % 900).matches(value))
        }
    }

    @Test func theLogBecomesASnapshot() async throws {
        let store = try await open()
        try await fill(store, 0..<300)
        try await fill(store, 0..<100, round: 1)
        try await store.remove("key/299")
        #expect(logs.count > 5)
        let report = try await store.compact()
        #expect(report.snapshot?.keys == 299)
        #expect(report.snapshot?.sequence == 401)
        #expect(report.heldFiles == 0)
        #expect(report.removedFiles >= 5)
        #expect(snapshots == ["0000000000000191.snapshot"])
        #expect(logs == ["0000000000000192.log"])
        try expect(store, 0..<100, round: 1)
        try expect(store, 100..<299)
        #expect(try store.get("key/299") == nil)
        #expect(try store.entry("key/7")?.sequence == 308)
        // Later writes and another opening.
        try await fill(store, 50..<60, round: 2)
        try await store.close()
        let again = try await open()
        #expect(again.recoveryReport.snapshot?.keys == 299)
        #expect(again.recoveryReport.records == 10)
        #expect(again.recoveryReport.tail == .closed)
        #expect(again.recoveryReport.lastSequence == 411)
        #expect(again.statistics.lastSequence == 411)
        try expect(again, 0..<50, round: 1)
        try expect(again, 50..<60, round: 2)
        try expect(again, 60..<100, round: 1)
        try expect(again, 100..<299)
        #expect(again.keys().count(where: { _ in true }) == 299)
        #expect(again.log.index.checkInvariants() == nil)
        try await again.close()
    }

    @Test func compactingAgainReplacesTheSnapshot() async throws {
        var store = try await open()
        for round in 0..<6 {
            try await fill(store, round * 10..<round * 10 + 80, round: round)
            try await store.compact()
            #expect(snapshots.count == 1 && logs.count == 1)
            if round % 2 == 1 {
                try await store.close()
                store = try await open()
            }
        }
        for round in 0..<5 { try expect(store, round * 10..<round * 10 + 10, round: round) }
        try expect(store, 50..<130, round: 5)
        #expect(store.statistics.keys == 130)
        #expect(store.log.index.checkInvariants() == nil)
        try await store.close()
    }

    @Test func aNewStoreHasNothingToCompact() async throws {
        let store = try await open()
        let report = try await store.compact()
        #expect(report.snapshot == nil && report.removedFiles == 0)
        try await store.put("a", "b")
        #expect(try await store.compact().snapshot?.keys == 1)
        // Nor has one that was compacted a moment ago.
        let second = try await store.compact()
        #expect(second.snapshot?.keys == 1 && second.removedFiles == 0)
        #expect(snapshots.count == 1)
        try await store.close()
    }

    @Test func aHeldStateStays() async throws {
        let store = try await open()
        try await fill(store, 0..<100)
        let held = try store.snapshot()
        try await fill(store, 0..<50, round: 1)
        for number in 50..<60 { try await store.remove("key/\(number)") }
        try await fill(store, 100..<120)
        let report = try await store.compact()
        try #require(report.heldFiles > 0 && report.removedFiles == 0)
        try await fill(store, 60..<80, round: 2)
        // The present state, and the held one.
        try expect(store, 0..<50, round: 1)
        try expect(store, 80..<120)
        for number in 0..<100 {
            let value = try #require(try held.get("key/\(number)"))
            #expect(ValuePattern(identity: UInt64(number * 100), length: number % 900).matches(value))
        }
        #expect(try held.get("key/100") == nil)
        var count = 0
        try held.forEach { entry in
            count += 1
            return .next
        }
        #expect(count == 100)
        try await store.close()
    }

    @Test func replacedFilesGoWhenTheLastHoldIsGone() async throws {
        let store = try await open()
        try await fill(store, 0..<100)
        var held: Snapshot? = try store.snapshot()
        try await fill(store, 0..<50, round: 1)
        #expect(try await store.compact().heldFiles > 0)
        let before = files
        #expect(before.count > 3)
        _ = held
        held = nil
        while files.count > 2 { try await Task.sleep(for: .milliseconds(5)) }
        try expect(store, 0..<50, round: 1)
        try expect(store, 50..<100)
        #expect(store.log.index.checkInvariants() == nil)
        try await store.close()
    }

    @Test func whatHasExpiredIsGoneForGood() async throws {
        let store = try await open()
        for number in 0..<20 {
            try await store.put(
                "e/\(number)", "value",
                expires: .at(Timestamp(milliseconds: 1_700_000_000_000 + UInt64(number) * 1_000)))
        }
        try await store.put("stays", "value")
        clock.set(1_700_000_000_000 + 10_000)
        let report = try await store.compact()
        #expect(report.snapshot?.keys == 10)
        #expect(store.statistics.keys == 10)
        // A clock that is set back revives nothing.
        clock.set(1_700_000_000_000)
        #expect(try store.get("e/5") == nil)
        #expect(try store.get("e/11") != nil)
        try await store.close()
        let again = try await open()
        #expect(try again.get("e/5") == nil)
        #expect(try again.get("e/11") != nil)
        #expect(try again.entry("e/11")?.expires == Timestamp(milliseconds: 1_700_000_000_000 + 11_000))
        // With nothing written since, what has expired meanwhile can still be compacted away.
        clock.set(1_700_000_000_000 + 15_000)
        #expect(try await again.compact().snapshot?.keys == 5)
        #expect(snapshots.count == 1)
        #expect(try again.get("stays") != nil)
        try await again.close()
        let last = try await open()
        #expect(last.statistics.keys == 5)
        try await last.close()
    }

    @Test func conditionsOnNumbersHoldAcrossCompaction() async throws {
        let store = try await open()
        let sequence = try await store.put("counter", "1")
        try await store.compact()
        let next = try await store.put("counter", "2", if: .sequence(sequence))
        await expectError(.conflict) { try await store.put("counter", "3", if: .sequence(sequence)) }
        try await store.compact()
        try await store.put("counter", "3", if: .sequence(next))
        try await store.close()
    }

    @Test func keptLogsAreThereAndNotRead() async throws {
        let store = try await open { $0.logRetention = .everything }
        try await fill(store, 0..<100)
        let before = logs
        try await store.compact()
        #expect(Array(logs.dropLast()) == before)
        try await fill(store, 0..<10, round: 1)
        try await store.close()
        let again = try await open { $0.logRetention = .everything }
        #expect(again.recoveryReport.records == 10)
        #expect(Array(logs.dropLast()) == before)
        try expect(again, 0..<10, round: 1)
        try expect(again, 10..<100)
        try await again.compact()
        #expect(logs.count > before.count)
        try await again.close()
        // Without it they go: with the first write.
        let third = try await open()
        #expect(third.recoveryReport.segments == 1)
        try await third.put("a", "b")
        #expect(logs.count == 2)
        try expect(third, 0..<10, round: 1)
        try await third.close()
    }

    @Test func someOfTheLogIsKept() async throws {
        let store = try await open { $0.logRetention = .bytes(40 << 10) }
        try await fill(store, 0..<300)
        try await store.compact()
        #expect((2...3).contains(logs.count))
        try await fill(store, 0..<300, round: 1)
        try await store.compact()
        #expect((2...3).contains(logs.count))
        try await store.close()
    }

    @Test func itIsDoneByItselfOnceTheLogIsLarge() async throws {
        let store = try await open { configuration in
            configuration.compaction.minimumLogBytes = 40 << 10
        }
        for round in 0..<20 { try await fill(store, 0..<100, round: round) }
        while store.statistics.compaction.completed < 2 { try await Task.sleep(for: .milliseconds(5)) }
        while store.statistics.compaction.isRunning { try await Task.sleep(for: .milliseconds(5)) }
        try expect(store, 0..<100, round: 19)
        #expect(store.statistics.logBytes < 100 << 10)
        try await store.close()
    }

    @Test func aDamagedRecordStopsItAndNothingIsDropped() async throws {
        let store = try await open()
        try await fill(store, 0..<100)
        let before = logs
        let place = "key/50".withByteBuffer { store.log.index.find($0, at: nil)! }.place
        let segment = RecordReader(log: store.log).segment(of: place)
        let file = try disk.openFile(segment.path, for: .readWrite)
        let damage: [UInt8] = [0xFF]
        try damage.withUnsafeBytes { try file.writeFully($0, at: segment.offset(of: place) + 34) }
        await expectError(.corruption) { try await store.compact() }
        #expect(snapshots.isEmpty && Array(logs.prefix(before.count)) == before)
        #expect(!files.contains { $0.hasSuffix("snapshot.tmp") })
        #expect(store.statistics.compaction.failed == 1)
        try expect(store, 0..<50)
        try expect(store, 51..<100)
        await expectError(.corruption) { _ = try store.get("key/50") }
        // Once it is overwritten, all is well.
        try await fill(store, 50..<51)
        #expect(try await store.compact().snapshot?.keys == 100)
        try await store.close()
    }

    @Test func aCancelledCompactionLeavesTheStoreAsItWas() async throws {
        let store = try await open()
        try await fill(store, 0..<100)
        let before = logs
        let task = Task {
            try await store.compact { _ in }
        }
        task.cancel()
        let result = await task.result
        if case .failure(let error) = result { #expect((error as? StoreError)?.code == .cancelled) }
        try expect(store, 0..<100)
        if case .failure = result { #expect(snapshots.isEmpty && logs.count <= before.count + 1) }
        try await store.compact()
        #expect(snapshots.count == 1)
        try await store.close()
        await expectError(.closed) { try await store.compact() }
    }

    /// Whoever has looked a key up and hasn't read its record yet finds the file open.
    @Test func replacedFilesStayWhileAReaderIsOnItsWay() async throws {
        let store = try await open()
        try await fill(store, 0..<50)
        let before = logs
        let pin = store.log.index.epochs.pin()
        let version = try #require("key/7".withByteBuffer { store.log.index.findPinned($0, at: nil) })
        let task = Task { try await store.compact() }
        while snapshots.isEmpty { await Task.yield() }
        // What is moved meanwhile is of no use to the reader, who has the old place.
        while "key/7".withByteBuffer({ store.log.index.find($0, at: nil) })?.place == version.place {
            await Task.yield()
        }
        for _ in 0..<200 { await Task.yield() }
        #expect(Array(logs.prefix(before.count)) == before)
        let value = try "key/7".withByteBuffer { (key) throws(StoreError) in
            try RecordReader(log: store.log).withValue(of: key, at: version.place) { value, _ in [UInt8](value) }
        }
        #expect(ValuePattern(identity: 700, length: 7).matches(value))
        store.log.index.epochs.unpin(pin)
        #expect(try await task.value.heldFiles == 0)
        #expect(logs.count == 1)
        try await store.close()
    }

    /// A snapshot isn't trusted before it was read back: what the disk made of it may be something else.
    @Test func aSnapshotThatCantBeReadBackIsNotTrusted() async throws {
        let bytes = try await snapshotBytes()
        // One bit in each part of the file: header, records, keys, footer.
        for offset in [80, 4_096 + 40, bytes / 2, bytes - 200, bytes - 30] {
            let faulty = RottingFileSystem(disk) { path in path.hasSuffix(".snapshot.tmp") ? offset : nil }
            let store = try await open { $0.fileSystem = faulty }
            let before = logs
            await expectError(.corruption) { try await store.compact() }
            #expect(snapshots.isEmpty && logs.count >= before.count, "offset \(offset)")
            #expect(!files.contains { $0.hasSuffix(".snapshot.tmp") })
            try expect(store, 0..<50)
            try await store.close()
        }
        let store = try await open()
        try await store.compact()
        try expect(store, 0..<50)
        try await store.close()
    }

    /// The size of the snapshot that a store of fifty keys gets; the store is left without one.
    private func snapshotBytes() async throws -> Int {
        let twin = SimulatedDisk(seed: 9)
        for target in [twin, disk] {
            let store = try await open { $0.fileSystem = target }
            try await fill(store, 0..<50)
            if target === twin { try await store.compact() }
            try await store.close()
        }
        let name = try #require(try twin.contents(ofDirectory: path).first { $0.hasSuffix(".snapshot") })
        return try #require(twin.image[path: path + "/" + name]).count
    }

    /// Large enough for a second thread, and for many blocks and leaves.
    @Test func aLargeSnapshotIsOpened() async throws {
        var configuration = Store.Configuration()
        configuration.fileSystem = InMemoryFileSystem()
        var store = try await Store.open(at: path, configuration: configuration)
        let count = 60_000
        let key = { (number: Int) in
            "key/\(String(number * 7_919 % count, radix: 36))/and some more of it/\(number % 3)"
        }
        for start in stride(from: 0, to: count, by: 1_000) {
            try await store.write(durability: .buffered) { batch in
                for number in start..<start + 1_000 {
                    let expires: Expiry = number % 50 == 0 ? .at(Timestamp(milliseconds: 9_000_000_000_000)) : .never
                    batch.put(key(number), "\(number)", expires: expires)
                }
            }
        }
        try await store.compact()
        try await store.close()
        store = try await Store.open(at: path, configuration: configuration)
        #expect(store.recoveryReport.snapshot?.keys == count)
        #expect(store.log.index.checkInvariants() == nil)
        for number in stride(from: 0, to: count, by: 97) {
            let entry = try #require(try store.entry(key(number)))
            #expect(entry.value == Array("\(number)".utf8) && (entry.expires != nil) == (number % 50 == 0))
        }
        var previous: [UInt8] = []
        var seen = 0
        for key in store.keys() {
            #expect(previous.lexicographicallyPrecedes(key))
            previous = key
            seen += 1
        }
        #expect(seen == count)
        try await store.close()
    }

    @Test func aDiskWithoutRoomForItIsToldBeforehand() async throws {
        let store = try await open()
        try await fill(store, 0..<300)
        let before = files
        disk.capacity = 200 << 10
        let error = await expectError(.outOfSpace) { try await store.compact() }
        #expect(error?.message.contains("bytes") == true)
        #expect(files == before)
        disk.capacity = .max
        #expect(try await store.compact().snapshot?.keys == 300)
        try await store.close()
    }

    /// Whoever waits for a compaction when the store is closed is told that.
    @Test func closingEndsACompaction() async throws {
        for delay in 0..<6 {
            let store = try await open()
            try await fill(store, 0..<200, round: delay)
            let task = Task { try await store.compact() }
            for _ in 0..<delay * 40 { await Task.yield() }
            try await store.close()
            if case .failure(let error) = await task.result { #expect((error as? StoreError)?.code == .closed) }
            let again = try await open()
            try expect(again, 0..<200, round: delay)
            try await again.close()
        }
    }

    /// What is told the progress may be the last to have the store; its end waits for the compactor's thread.
    @Test func theStoreMayGoWithItsCompaction() async throws {
        for _ in 0..<10 {
            try await compactAndDrop()
            while disk.isLocked(path + "/LOCK") { await Task.yield() }
        }
    }

    private func compactAndDrop() async throws {
        let store = try await open()
        try await fill(store, 0..<20)
        try await store.compact { _ in _ = store.statistics }
    }

    /// There is always somebody who holds a state, but nobody for long.
    @Test func replacedFilesGoThoughStatesAreHeldOneAfterTheOther() async throws {
        let store = try await open { $0.compaction = .manual }
        var held: [Snapshot] = []
        var counts: [Int] = []
        for round in 0..<12 {
            try await fill(store, 0..<20, round: round)
            held.append(try store.snapshot())
            try await fill(store, 10..<30, round: round + 50)
            try await store.compact()
            if held.count > 2 { held.removeFirst() }
            store.settleCompaction()
            counts.append(store.statistics.heldFiles)
            for snapshot in held { #expect(snapshot.keys().reduce(0) { count, _ in count + 1 } >= 20) }
        }
        #expect(counts.dropFirst(4).allSatisfy { $0 <= 12 }, "\(counts)")
        held = []
        store.settleCompaction()
        #expect(store.statistics.heldFiles == 0 && files.count == 2)
        #expect(store.log.index.checkInvariants() == nil)
        try await store.close()
    }

    /// An opening that writes nothing has nothing to compact.
    @Test func whatWasNotWrittenIsNotCompacted() async throws {
        var store = try await open()
        try await fill(store, 0..<50)
        let first = try await store.compact()
        try await store.close()
        for _ in 0..<3 {
            store = try await open()
            let report = try await store.compact()
            #expect(report.snapshot == first.snapshot && report.removedFiles == 0)
            try await store.close()
        }
        #expect(snapshots.count == 1 && logs.count == 1)
    }
}
