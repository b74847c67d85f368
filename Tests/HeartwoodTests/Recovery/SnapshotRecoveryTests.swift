import HeartwoodFileSystem
import HeartwoodFormat
import Testing

@testable import Heartwood

/// Snapshots that are damaged, missing or misplaced: an opening refuses them and names the file, or passes them over if
/// the other files have everything.
@Suite struct SnapshotRecoveryTests {
    /// The files of a store, and its contents.
    private struct Made {
        var image: FileImage
        var contents: [String: String]

        var snapshot: String { snapshots.last! }
        var snapshots: [String] { image.files.keys.filter { $0.hasSuffix(".snapshot") }.sorted() }
        var logs: [String] { image.files.keys.filter { $0.hasSuffix(".log") }.sorted() }

        func changed(_ change: (inout [String: [UInt8]]) -> Void) -> FileImage { image.changed(change) }
    }

    private static func configuration(
        _ fileSystem: any FileSystem, logRetention: LogRetention = .none
    ) -> Store.Configuration {
        var configuration = StoreHistory.configuration(fileSystem)
        configuration.logRetention = logRetention
        configuration.compaction = .manual
        return configuration
    }

    /// A store that was compacted after each round, with some writes after that.
    ///
    /// - Parameter keepsAll: Whether it has all files that it ever had: each snapshot and the whole log.
    private func make(rounds: Int = 1, keepsAll: Bool = false) async throws -> Made {
        let fileSystem = InMemoryFileSystem()
        let configuration = Self.configuration(fileSystem, logRetention: keepsAll ? .everything : .none)
        var contents: [String: String] = [:]
        var older: [String: [UInt8]] = [:]
        try await Store.withStore(at: "/store", configuration: configuration) { store in
            for round in 0..<rounds {
                for number in 0..<60 {
                    let value = "\(round) " + String(repeating: "v", count: keepsAll ? 0 : number * 7)
                    contents["key \(number)"] = value
                    try await store.put("key \(number)", value, durability: .buffered)
                }
                try await store.remove("key 7")
                contents["key 7"] = nil
                try await store.compact()
                let files = try FileImage(of: fileSystem, everything: true).files
                if keepsAll { older.merge(files.filter { $0.key.hasSuffix(".snapshot") }) { $1 } }
            }
            for number in 50..<70 {
                contents["key \(number)"] = "later"
                try await store.put("key \(number)", "later", durability: .buffered)
            }
        }
        var image = try FileImage(of: fileSystem, everything: true)
        image.files.merge(older) { present, _ in present }
        return Made(image: image, contents: contents)
    }

    private func open(_ image: FileImage) throws -> Store {
        try Store(
            openingAt: "/store",
            configuration: Self.configuration(try image.fileSystem(), logRetention: .everything))
    }

    private func expectOpens(
        _ image: FileImage, _ made: Made, skippedFiles: [String] = [], _ what: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let store = try open(image)
        let skipped = skippedFiles.map { "/store/" + $0 }
        #expect(store.recoveryReport.skippedFiles == skipped, "\(what)", sourceLocation: sourceLocation)
        #expect(try store.contents() == made.contents, sourceLocation: sourceLocation)
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

    @Test func soundFilesOpen() async throws {
        for rounds in 1...3 {
            let made = try await make(rounds: rounds)
            #expect(made.snapshots.count == 1 && made.logs.count == 1)
            try await expectOpens(made.image, made)
        }
        let all = try await make(rounds: 2, keepsAll: true)
        #expect(all.snapshots.count == 2 && all.logs.count == 3)
        try await expectOpens(all.image, all)
    }

    @Test func aSnapshotOfAnyOtherLengthIsRefused() async throws {
        let made = try await make()
        let size = made.image.files[made.snapshot]!.count
        for length in Array(stride(from: 0, to: size, by: 512)) + Array((size - 130)..<size) {
            let image = made.changed { $0[made.snapshot]!.removeLast(size - length) }
            await expectRefused(image, made.snapshot, "", "truncated to \(length)")
        }
        for more in [1, 7, 8, 64, 512] {
            let image = made.changed { $0[made.snapshot]! += [UInt8](repeating: 0, count: more) }
            await expectRefused(image, made.snapshot, "", "\(more) more")
        }
    }

    /// The records are left out: they are verified when they are read.
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
            // Once it is overwritten, compaction needs it no longer.
            try await store.put("key 31", "new")
            try await store.compact()
            #expect(try store.get("key 31") == Array("new".utf8))
            try await store.close()
        }
    }

    @Test func damageToABlockIsReportedWithItsOffset() async throws {
        let made = try await make()
        let keys = try footer(of: made.image.files[made.snapshot]!).keySectionOffset
        let error = await expectRefused(
            made.changed { $0[made.snapshot]![Int(keys) + 40] ^= 1 }, made.snapshot, "the keys of a snapshot")
        #expect(error?.offset == keys)
    }

    /// The checksum is right, and no read depends on these counts.
    @Test func wrongCountsAreRefused() async throws {
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
            let wrong = footer.encoded(salt: header.salt, offset: offset)
            let error = await expectRefused(
                made.changed { $0[made.snapshot]!.replaceSubrange(Int(offset)..., with: wrong) }, made.snapshot)
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

    @Test func aMissingLogAfterASnapshotIsCorruption() async throws {
        let made = try await make()
        await expectRefused(made.changed { $0[made.logs[0]] = nil }, made.snapshot, "is missing")
        await expectRefused(made.changed { $0[made.snapshot] = nil }, made.logs[0], "are missing")
        // An older snapshot with the log that follows the newer one.
        let newer = try await make(rounds: 2)
        let older = made.changed { files in
            files[made.logs[0]] = nil
            files[newer.logs[0]] = newer.image.files[newer.logs[0]]
        }
        await expectError(.corruption) { _ = try open(older) }
    }

    /// Its header follows the snapshot; its numbers don't.
    @Test func aLogWithNumbersThatTheSnapshotCoversIsRefused() async throws {
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

    // MARK: - Other files in its place

    @Test func theLogReplacesDamagedSnapshots() async throws {
        let all = try await make(rounds: 2, keepsAll: true)
        let (older, newest, logs) = (all.snapshots[0], all.snapshots[1], all.logs)
        let size = all.image.files[newest]!.count
        // The snapshots that an opening skips; nil if it is refused.
        let cases: [(what: String, skipped: [String]?, change: (inout [String: [UInt8]]) -> Void)] = [
            ("the newest's header is damaged: the older one is used", [newest], { $0[newest]![100] ^= 1 }),
            ("the newest's end is damaged", [newest], { $0[newest]![size - 1] ^= 1 }),
            ("the newest's keys are damaged", [newest], { $0[newest]![size - 100] ^= 1 }),
            ("both are damaged: the log is used", [newest, older], { ($0[older]![4000], $0[newest]!) = (9, [1]) }),
            ("the older one is damaged: it isn't read", [], { $0[older]![100] ^= 1 }),
            ("a gap that the older one doesn't cover", nil, { ($0[newest]!, $0[logs[1]]) = ([1], nil) }),
            ("a gap that the older one covers", [newest], { ($0[newest]!, $0[logs[0]]) = ([1], nil) }),
            ("the same gap without it", nil, { ($0[newest]!, $0[older], $0[logs[0]]) = ([1], nil, nil) }),
        ]
        for (what, skipped, change) in cases {
            if let skipped {
                try await expectOpens(all.changed(change), all, skippedFiles: skipped, what)
            } else {
                await expectRefused(all.changed(change), newest, "", what)
            }
        }
    }

    @Test func aPassedOverSnapshotIsReplacedByTheNextOne() async throws {
        let all = try await make(rounds: 2, keepsAll: true)
        let fileSystem = try all.changed { $0[all.snapshots[1]]![100] ^= 1 }.fileSystem()
        let store = try Store(openingAt: "/store", configuration: Self.configuration(fileSystem))
        try await store.compact()
        try await store.close()
        let files = try FileImage(of: fileSystem, everything: true).files.keys
        #expect(files.count { $0.hasSuffix(".snapshot") } == 1)
        #expect(!files.contains(all.snapshots[0]))
        try await expectOpens(try FileImage(of: fileSystem, everything: true), all)
    }

    /// The log that the snapshot covers is whole, and must not replace the sound snapshot: the writes after it would be
    /// lost silently.
    @Test func aMissingLogAfterASoundSnapshotIsRefused() async throws {
        let all = try await make(rounds: 2, keepsAll: true)
        let image = all.changed { $0[all.logs.last!] = nil }
        await expectRefused(image, all.snapshots[1], "is missing")
        // The same with a damaged snapshot: its name shows that a log followed it.
        await expectRefused(
            image.changed { $0[all.snapshots[1]]![100] ^= 1 }, all.snapshots[1], "the header of a snapshot is damaged")
        let onlyLogs = image.changed { files in
            files[all.snapshots[0]] = nil
            files[all.snapshots[1]]![100] ^= 1
        }
        await expectRefused(onlyLogs, all.snapshots[1], "the header of a snapshot is damaged")
    }

    /// A first segment of another store is a whole log, and must not replace the sound snapshot.
    @Test func aSegmentOfAnotherStoreDoesNotReplaceASoundSnapshot() async throws {
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
