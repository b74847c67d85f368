import HeartwoodFileSystem
import HeartwoodFormat
import Testing

@testable import Heartwood

/// Snapshots that are damaged, missing or misplaced: an opening refuses them and names the file, or does without them
/// where nothing is missing.
@Suite struct SnapshotRecoveryTests {
    /// A store's files, and what is in them.
    private struct Made {
        var image: FileImage
        var contents: [String: String]

        var snapshot: String { snapshots.last! }
        var snapshots: [String] { image.files.keys.filter { $0.hasSuffix(".snapshot") }.sorted() }
        var logs: [String] { image.files.keys.filter { $0.hasSuffix(".log") }.sorted() }

        func changed(_ change: (inout [String: [UInt8]]) -> Void) -> FileImage {
            var image = image
            change(&image.files)
            return image
        }
    }

    private static func configuration(
        _ fileSystem: any FileSystem, logRetention: LogRetention = .none
    ) -> Store.Configuration {
        var configuration = StoreHistory.configuration(fileSystem)
        configuration.logRetention = logRetention
        configuration.compaction = .manual
        return configuration
    }

    /// A store that was compacted after each round, with some writes behind that.
    private func make(rounds: Int = 1, logRetention: LogRetention = .none, salt: String = "") async throws -> Made {
        let fileSystem = InMemoryFileSystem()
        let configuration = Self.configuration(fileSystem, logRetention: logRetention)
        var contents: [String: String] = [:]
        try await Store.withStore(at: "/store", configuration: configuration) { store in
            for round in 0..<rounds {
                for number in 0..<60 {
                    let value = "\(salt)\(round) " + String(repeating: "v", count: number * 7)
                    contents["key \(number)"] = value
                    try await store.put("key \(number)", value, durability: .buffered)
                }
                try await store.remove("key 7")
                contents["key 7"] = nil
                try await store.compact()
            }
            for number in 50..<70 {
                contents["key \(number)"] = "behind"
                try await store.put("key \(number)", "behind", durability: .buffered)
            }
        }
        return Made(image: try FileImage(of: fileSystem, everything: true), contents: contents)
    }

    /// A store with every file that it ever had: two snapshots, and the whole log.
    private func makeWithAllFiles() async throws -> Made {
        let fileSystem = InMemoryFileSystem()
        let configuration = Self.configuration(fileSystem, logRetention: .everything)
        var contents: [String: String] = [:]
        var first = FileImage()
        try await Store.withStore(at: "/store", configuration: configuration) { store in
            for round in 0..<2 {
                for number in round * 20..<round * 20 + 30 {
                    contents["key \(number)"] = "\(round)"
                    try await store.put("key \(number)", "\(round)", durability: .buffered)
                }
                try await store.compact()
                if round == 0 { first = try FileImage(of: fileSystem, everything: true) }
            }
            contents["behind"] = "yes"
            try await store.put("behind", "yes")
        }
        var image = try FileImage(of: fileSystem, everything: true)
        let older = first.files.first { $0.key.hasSuffix(".snapshot") }!
        image.files[older.key] = older.value
        return Made(image: image, contents: contents)
    }

    private func open(_ image: FileImage) throws -> Store {
        try Store(
            openingAt: "/store",
            configuration: Self.configuration(try image.fileSystem(), logRetention: .everything))
    }

    private func expectOpens(
        _ image: FileImage, _ made: Made, passedOver: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let store = try open(image)
        #expect(
            store.recoveryReport.passedOver == passedOver.map { "/store/" + $0 }, sourceLocation: sourceLocation)
        var contents: [String: String] = [:]
        try store.forEach { entry in
            contents[String(decoding: entry.key, as: UTF8.self)] = String(decoding: entry.value, as: UTF8.self)
            return .next
        }
        #expect(contents == made.contents, sourceLocation: sourceLocation)
        #expect(store.log.index.checkInvariants() == nil, sourceLocation: sourceLocation)
        try await store.close()
    }

    @discardableResult
    private func expectRefused(
        _ image: FileImage, _ name: String, _ words: String = "", _ what: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> StoreError? {
        let error = await expectError(.corruption, sourceLocation) { _ = try open(image) }
        #expect(
            error?.file == "/store/" + name, "\(what): \(String(describing: error))", sourceLocation: sourceLocation)
        #expect(
            error?.message.contains(words) == true, "\(what): \(String(describing: error))",
            sourceLocation: sourceLocation)
        return error
    }

    private func footer(of bytes: [UInt8]) throws -> SnapshotFooter {
        let header = try bytes.withUnsafeBytes { try FileHeader.decode($0) }
        return try bytes.withUnsafeBytes {
            try SnapshotFooter.decode(
                UnsafeRawBufferPointer(rebasing: $0[(bytes.count - 64)...]), salt: header.salt,
                offset: UInt64(bytes.count - 64))
        }
    }

    // MARK: - Damaged

    @Test func theSoundOneOpens() async throws {
        for rounds in 1...3 {
            let made = try await make(rounds: rounds)
            #expect(made.snapshots.count == 1 && made.logs.count == 1)
            try await expectOpens(made.image, made)
        }
        let all = try await makeWithAllFiles()
        #expect(all.snapshots.count == 2 && all.logs.count == 3)
        try await expectOpens(all.image, all)
    }

    @Test func everyLengthThatASnapshotIsCutToIsRefused() async throws {
        let made = try await make()
        let size = made.image.files[made.snapshot]!.count
        for length in Array(stride(from: 0, to: size, by: 512)) + Array((size - 130)..<size) {
            let image = made.changed { $0[made.snapshot]!.removeLast(size - length) }
            await expectRefused(image, made.snapshot, "", "cut to \(length)")
        }
        for more in [1, 7, 8, 64, 512] {
            let image = made.changed { $0[made.snapshot]! += [UInt8](repeating: 0, count: more) }
            await expectRefused(image, made.snapshot, "", "\(more) more")
        }
    }

    /// All but the records: those are verified when they are read.
    @Test func everyDamagedSectorOfHeaderAndKeysIsRefused() async throws {
        let made = try await make()
        let bytes = made.image.files[made.snapshot]!
        let keys = Int(try footer(of: bytes).keySectionOffset)
        var generator = SplitMix64(fromEnvironmentFor: "everyDamagedSectorOfHeaderAndKeysIsRefused")
        for start in stride(from: 0, to: bytes.count, by: 512) {
            let sector = start..<min(start + 512, bytes.count)
            let parts = [sector.clamped(to: 0..<4096), sector.clamped(to: keys..<bytes.count)]
            for part in parts where !part.isEmpty {
                if part.contains(where: { bytes[$0] != 0 }) {
                    let zeroed = made.changed { files in
                        for at in part { files[made.snapshot]![at] = 0 }
                    }
                    await expectRefused(zeroed, made.snapshot, "", "\(part) zeroed")
                }
                for _ in 0..<16 {
                    let bit = Int.random(in: part.lowerBound * 8..<part.upperBound * 8, using: &generator)
                    let flipped = made.changed { $0[made.snapshot]![bit / 8] ^= 1 << UInt8(bit % 8) }
                    await expectRefused(flipped, made.snapshot, "", "bit \(bit)")
                }
            }
        }
    }

    @Test func aDamagedValueIsFoundWhenItIsRead() async throws {
        let made = try await make()
        let bytes = made.image.files[made.snapshot]!
        let at = try #require(bytes.firstRange(of: Array("key 31".utf8))).lowerBound
        for byte in [at - 30, at - 5, at, at + 40] {
            let store = try open(made.changed { $0[made.snapshot]![byte] ^= 4 })
            let error = await expectError(.corruption) { _ = try store.get("key 31") }
            #expect(error?.file == "/store/" + made.snapshot && error?.offset == UInt64(at - 32))
            for (key, value) in made.contents where key != "key 31" {
                #expect(try store.get(key) == Array(value.utf8), "\(key)")
            }
            await expectError(.corruption) { try await store.compact() }
            // Once it is overwritten, nobody needs it.
            try await store.put("key 31", "anew")
            try await store.compact()
            #expect(try store.get("key 31") == Array("anew".utf8))
            try await store.close()
        }
    }

    /// The offset was that of the block behind it.
    @Test func damageToABlockWasNamedByTheNextOne() async throws {
        let made = try await make()
        let keys = try footer(of: made.image.files[made.snapshot]!).keySectionOffset
        let error = await expectRefused(
            made.changed { $0[made.snapshot]![Int(keys) + 40] ^= 1 }, made.snapshot, "the keys of a snapshot")
        #expect(error?.offset == keys)
    }

    /// Counts under a right checksum that no reader needed, and none compared.
    @Test func countsThatLieWereTaken() async throws {
        let made = try await make()
        let bytes = made.image.files[made.snapshot]!
        let header = try bytes.withUnsafeBytes { try FileHeader.decode($0) }
        let sound = try footer(of: bytes)
        let offset = UInt64(bytes.count - 64)
        for change in [
            { $0.keyBytes += 1 }, { $0.keyBytes = 0 }, { $0.expiringCount = 1 }, { $0.recordCount -= 1 },
        ] as [@Sendable (inout SnapshotFooter) -> Void] {
            var footer = sound
            change(&footer)
            let lying = footer.encoded(salt: header.salt, offset: offset)
            let error = await expectRefused(
                made.changed { $0[made.snapshot]!.replaceSubrange(Int(offset)..., with: lying) }, made.snapshot)
            #expect(error?.offset == offset)
        }
    }

    // MARK: - Misplaced

    @Test func aRenamedSnapshotIsRefused() async throws {
        let made = try await make()
        let number = UInt64(made.snapshot.prefix(16), radix: 16)!
        for other in [0, 1, number - 1, number + 1, number + 1000, 1 << 62, .max] {
            let name = StoreFileName.snapshot(other)
            let renamed = made.changed { files in
                files[name] = files[made.snapshot]
                files[made.snapshot] = nil
            }
            await expectRefused(renamed, name, "its name should be \(made.snapshot)")
        }
        let log = made.changed { $0[made.snapshot] = $0[made.logs[0]] }
        await expectRefused(log, made.snapshot, "named as a snapshot is none")
        let asLog = made.changed { $0[made.logs[0]] = $0[made.snapshot] }
        await expectRefused(asLog, made.logs[0])
    }

    @Test func aSnapshotOfAnotherStoreIsRefused() async throws {
        let made = try await make()
        let other = try await make(salt: "other")
        #expect(made.snapshot == other.snapshot)
        await expectRefused(
            made.changed { $0[made.snapshot] = other.image.files[made.snapshot] }, made.snapshot,
            "belongs to another store")
        // Of two files nobody can tell which of them is foreign.
        await expectRefused(
            made.changed { $0[made.logs[0]] = other.image.files[made.logs[0]] }, made.snapshot,
            "belongs to another store")
    }

    @Test func aMissingLogBehindASnapshotIsCorruption() async throws {
        let made = try await make()
        await expectRefused(made.changed { $0[made.logs[0]] = nil }, made.snapshot, "is missing")
        await expectRefused(made.changed { $0[made.snapshot] = nil }, made.logs[0], "are missing")
        // An older one with the log behind the newer one, and the other way round.
        let newer = try await make(rounds: 2)
        let older = made.changed { files in
            files[made.logs[0]] = nil
            files[newer.logs[0]] = newer.image.files[newer.logs[0]]
        }
        await expectError(.corruption) { _ = try open(older) }
    }

    /// Its header follows the snapshot, and its numbers don't.
    @Test func aLogWithNumbersThatTheSnapshotCoversWasTaken() async throws {
        let made = try await make()
        let bytes = made.image.files[made.logs[0]]!
        var header = try bytes.withUnsafeBytes { try FileHeader.decode($0) }
        let number = UInt64(made.snapshot.prefix(16), radix: 16)!
        for first in [1, number - 1, number] {
            header.firstSequence = first
            let name = StoreFileName.log(first)
            let hostile = made.changed { files in
                files[made.logs[0]] = nil
                files[name] = header.encoded()
            }
            await expectRefused(hostile, name, "numbers do not follow")
        }
    }

    @Test func anOlderSnapshotWithoutItsLogIsCorruption() async throws {
        let all = try await makeWithAllFiles()
        let last = all.logs.last!
        let image = all.changed { files in
            files[all.snapshots[1]] = nil
            for name in all.logs where name != last { files[name] = nil }
        }
        let error = await expectRefused(image, last, "a log segment is missing")
        #expect(error?.lostSequences == 31...60)
        // Beside the newer one it has no meaning.
        try await expectOpens(
            all.changed { files in
                for name in all.logs where name != last { files[name] = nil }
            }, all)
    }

    // MARK: - What serves in its place

    @Test func theLogServesInPlaceOfDamagedSnapshots() async throws {
        let all = try await makeWithAllFiles()
        let sizes = all.snapshots.map { all.image.files[$0]!.count }
        // The newest: the older one serves.
        for byte in [100, sizes[1] - 1, sizes[1] - 100] {
            try await expectOpens(
                all.changed { $0[all.snapshots[1]]![byte] ^= 1 }, all, passedOver: [all.snapshots[1]])
        }
        // Both.
        let neither = all.changed { files in
            files[all.snapshots[0]]![4000] ^= 1
            files[all.snapshots[1]]!.removeLast(8)
        }
        try await expectOpens(neither, all, passedOver: all.snapshots.reversed())
        // The older one: nobody looks at it.
        try await expectOpens(all.changed { $0[all.snapshots[0]]![100] ^= 1 }, all)
        // With a hole in the log that the older one doesn't cover, nothing serves.
        let hole = all.changed { files in
            files[all.snapshots[1]]![100] ^= 1
            files[all.logs[1]] = nil
        }
        await expectRefused(hole, all.snapshots[1])
        // With a hole in the log that it covers, it does.
        let covered = all.changed { files in
            files[all.snapshots[1]]![100] ^= 1
            files[all.logs[0]] = nil
        }
        try await expectOpens(covered, all, passedOver: [all.snapshots[1]])
        // And without that one, the log isn't whole.
        let broken = all.changed { files in
            files[all.snapshots[1]]![100] ^= 1
            files[all.snapshots[0]] = nil
            files[all.logs[0]] = nil
        }
        await expectRefused(broken, all.snapshots[1])
    }

    @Test func aPassedOverSnapshotIsReplacedByTheNextOne() async throws {
        let all = try await makeWithAllFiles()
        let fileSystem = try all.changed { $0[all.snapshots[1]]![100] ^= 1 }.fileSystem()
        let store = try Store(openingAt: "/store", configuration: Self.configuration(fileSystem))
        try await store.compact()
        try await store.close()
        let files = try FileImage(of: fileSystem, everything: true).files.keys
        #expect(files.count { $0.hasSuffix(".snapshot") } == 1)
        #expect(!files.contains(all.snapshots[0]))
        try await expectOpens(try FileImage(of: fileSystem, everything: true), all)
    }

    /// The covered log was there and whole, and so it served: all that was written after the snapshot was lost in
    /// silence, and the sound snapshot was called damaged.
    @Test func aMissingLogBehindASoundSnapshotWasTakenForADamagedSnapshot() async throws {
        let all = try await makeWithAllFiles()
        let image = all.changed { $0[all.logs.last!] = nil }
        await expectRefused(image, all.snapshots[1], "is missing")
        // The same where the snapshot is damaged, too: its name says that there was a log behind it.
        await expectRefused(
            image.changed { $0[all.snapshots[1]]![100] ^= 1 }, all.snapshots[1], "the header of a snapshot is damaged")
        let onlyLogs = image.changed { files in
            files[all.snapshots[0]] = nil
            files[all.snapshots[1]]![100] ^= 1
        }
        await expectRefused(onlyLogs, all.snapshots[1], "the header of a snapshot is damaged")
    }

    /// The same with another store's first segment: its data was opened in place of this store's.
    @Test func aSegmentOfAnotherStoreServedInPlaceOfASoundSnapshot() async throws {
        let made = try await make()
        let fileSystem = InMemoryFileSystem()
        try await Store.withStore(at: "/store", configuration: Self.configuration(fileSystem)) { store in
            try await store.put("foreign", "1")
        }
        let foreign = try FileImage(of: fileSystem)
        let image = made.changed { files in
            files[made.logs[0]] = nil
            files.merge(foreign.files) { $1 }
        }
        await expectRefused(image, made.snapshot, "belongs to another store")
    }
}

extension FileImage {
    fileprivate func changed(_ change: (inout [String: [UInt8]]) -> Void) -> FileImage {
        var image = self
        change(&image.files)
        return image
    }
}
