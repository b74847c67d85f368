import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodTesting
import Testing

@testable import Heartwood
@testable import HeartwoodInspection

/// Damage to snapshots: what is left of one, what the log that it replaced can restore, and what an older snapshot can.
@Suite struct DamagedSnapshotTests {
    /// Offsets in all parts of a snapshot: header, records, keys, footer.
    private static func offsets(_ bytes: [UInt8], _ random: inout SeededRandom) throws -> [Int] {
        let records = try FileLayout.records(ofSnapshot: bytes)
        let keys = records.last!.part.upperBound
        var offsets = [8, 20, 4_092]
        for record in records.shuffled(using: &random).prefix(6) {
            offsets.append(record.part.lowerBound + Int.random(in: 0..<record.part.count, using: &random))
        }
        offsets += [keys, keys + 20, keys + 40, bytes.count - 64, bytes.count - 30, bytes.count - 1]
        return offsets
    }

    /// Without any other file: all records that the damage doesn't touch.
    private func expectUntouchedRecords(
        of written: WrittenStore, _ damaged: [UInt8], _ comment: Comment
    ) async throws {
        let name = written.image.snapshots[0]
        let bytes = written.image.files[name]!
        guard let changed = changedBytes(bytes, damaged) else { return }
        let covered = UInt64(name.prefix(16), radix: 16)!
        var image = written.image
        image.files[name] = damaged
        try await expectSameVerdict(image, comment)
        var base = written.state(of: written.changes.keys.filter { $0 <= covered })
        for record in try FileLayout.records(ofSnapshot: bytes) where changed.isChanged(record.part) {
            base[record.key] = nil
        }
        let later = Set(written.changes.keys.filter { $0 > covered })
        try await expectRepaired(image, written, Oracle.Recoverable(base: base, sequences: later), comment)
    }

    @Test(arguments: DamageKind.allCases)
    func whatVerifiesIsBroughtBack(_ kind: DamageKind) async throws {
        let written = try await WrittenStore.make(.compacted, seed: 21)
        let bytes = written.image.files[written.image.snapshots[0]]!
        var random = SeededRandom(21, 64)
        for offset in try Self.offsets(bytes, &random) {
            let damaged = kind.damage(bytes, at: offset, &random)
            try await expectUntouchedRecords(of: written, damaged, "\(kind) at \(offset) of \(bytes.count)")
        }
    }

    /// A block that was copied to the beginning, together with a bit of the salt: the records in the block verify under
    /// many salts, each under one, and come before those that aren't touched.
    @Test(arguments: 12..<16)
    func aMovedBlockBesideADamagedSaltHidesNothing(_ saltByte: Int) async throws {
        let written = try await WrittenStore.make(.compacted, seed: 29)
        let bytes = written.image.files[written.image.snapshots[0]]!
        let records = try FileLayout.records(ofSnapshot: bytes)
        let whole = records.map(\.part.lowerBound).filter { $0 >= 8_192 && $0 + 4_096 <= records.last!.part.upperBound }
        #expect(whole.count > 20)
        for (number, from) in whole.enumerated() {
            let start = [3_936, 4_096, 4_104][number % 3]
            var damaged = bytes
            damaged.replaceSubrange(start..<start + 4_096, with: bytes[from..<from + 4_096])
            damaged[saltByte] ^= 1 << UInt8(number % 8)
            try await expectUntouchedRecords(
                of: written, damaged, "a block from \(from) at \(start), byte \(saltByte)")
        }
    }

    /// Its header and its name tell different numbers or none, and the segment after it may be missing: what that had
    /// is reported as lost, as the snapshot may not have it.
    @Test func aSnapshotOfUnknownNumberHidesNoLoss() async throws {
        let written = try await WrittenStore.make(.compacted, seed: 30)
        let (name, logs) = (written.image.snapshots[0], written.image.logs)
        let covered = UInt64(name.prefix(16), radix: 16)!
        let all = written.state(of: written.changes.keys)
        #expect(logs.count > 2)
        let names = [covered, covered + 1, covered - 1].map { StoreFileName.snapshot($0) } + logs.prefix(2)
        for newName in names {
            for missing in [nil, logs[0]] {
                var image = written.image
                image.files[name] = nil
                if let missing { image.files[missing] = nil }
                image.files[newName] = written.image.files[name]
                for index in 26..<538 { image.files[newName]![index] = 0 }
                let files = try image.fileSystem()
                let report = try Repair.run(DirectoryImage.path, output: "/repaired", now: 1, fileSystem: files)
                let found = try await WrittenStore.contents(of: files, at: "/repaired")
                for (key, value) in all where found[key] != value {
                    #expect(
                        report.losses.contains { $0.sequences?.contains(value.sequence) ?? false },
                        "\(newName) without \(missing ?? "loss"): number \(value.sequence)")
                }
                if missing == nil, newName.hasSuffix(".snapshot") {
                    #expect(found == all, "\(newName): \(difference(found, all))")
                }
            }
        }
    }

    /// The log that it replaced still exists: nothing is lost.
    @Test(arguments: DamageKind.allCases)
    func theLogThatItReplacedRestoresIt(_ kind: DamageKind) async throws {
        let written = try await WrittenStore.make(.kept, seed: 22)
        let name = written.image.snapshots[0]
        let bytes = written.image.files[name]!
        var random = SeededRandom(22, 65)
        for offset in try Self.offsets(bytes, &random) {
            let damaged = kind.damage(bytes, at: offset, &random)
            guard changedBytes(bytes, damaged) != nil else { continue }
            let comment: Comment = "\(kind) at \(offset) of \(bytes.count)"
            var image = written.image
            image.files[name] = damaged
            try await expectSameVerdict(image, comment)
            let all = Oracle.Recoverable(sequences: Set(written.changes.keys))
            try await expectRepaired(image, written, all, comment)
        }
    }

    @Test func aMissingSnapshotLosesItsRecords() async throws {
        let written = try await WrittenStore.make(.compacted, seed: 23)
        let name = written.image.snapshots[0]
        let covered = UInt64(name.prefix(16), radix: 16)!
        var image = written.image
        image.files[name] = nil
        try await expectSameVerdict(image, "no snapshot")
        let later = Oracle.Recoverable(sequences: Set(written.changes.keys.filter { $0 > covered }))
        try await expectRepaired(image, written, later, "no snapshot")
        let plan = try Repair.plan(DirectoryImage.path, fileSystem: try image.fileSystem())
        #expect(plan.losses.first?.sequences == 1...covered)
    }

    /// An unfinished snapshot changes nothing if the log exists.
    @Test func anUnfinishedSnapshotIsSkipped() async throws {
        let written = try await WrittenStore.make(.kept, seed: 24)
        let name = written.image.snapshots[0]
        let bytes = written.image.files[name]!
        for count in [0, 100, 4_096, 5_000, bytes.count / 2, bytes.count - 1] {
            for newName in ["new.snapshot.tmp", name] {
                var image = written.image
                image.files[name] = nil
                image.files[newName] = Array(bytes[..<count])
                try await expectSameVerdict(image, "\(count) bytes of \(newName)")
                let all = Oracle.Recoverable(sequences: Set(written.changes.keys))
                try await expectRepaired(image, written, all, "\(count) bytes of \(newName)")
            }
        }
    }

    /// A finished snapshot that was not renamed yet brings back what no other file has.
    @Test func aFinishedSnapshotWithoutItsNameIsUsed() async throws {
        let written = try await WrittenStore.make(.compacted, seed: 25)
        let name = written.image.snapshots[0]
        var image = written.image
        image.files["new.snapshot.tmp"] = image.files.removeValue(forKey: name)
        let recoverable = try Oracle(written).recoverable(in: written.image)
        try await expectRepaired(image, written, recoverable, "a snapshot that was not renamed")
    }

    /// The snapshot of a backup with today's log: the writes in between are lost, and reported.
    @Test func anOlderSnapshotIsUsedAsFarAsItGoes() async throws {
        let first = try await WrittenStore.make(.compacted, seed: 26)
        let fileSystem = try first.image.fileSystem()
        let store = try await Store.open(at: DirectoryImage.path, configuration: WrittenStore.configuration(fileSystem))
        _ = try await store.compact()
        let last = try await store.put("after", "x")
        try await store.close()
        var image = try DirectoryImage(of: fileSystem)
        let newest = image.snapshots.last!
        image.files[newest] = nil
        let name = first.image.snapshots[0]
        image.files[name] = first.image.files[name]
        try await expectSameVerdict(image, "an older snapshot")
        var written = first
        written.image = image
        written.changes[last] = [(Array("after".utf8), Array("x".utf8))]
        let covered = UInt64(name.prefix(16), radix: 16)!
        let base = first.state(of: first.changes.keys.filter { $0 <= covered })
        try await expectRepaired(
            image, written, Oracle.Recoverable(base: base, sequences: [last]), "an older snapshot")
        let plan = try Repair.plan(DirectoryImage.path, fileSystem: try image.fileSystem())
        #expect(plan.losses.contains { $0.sequences?.contains(covered + 1) ?? false })
    }

    /// Neither the keys nor one record of the newest snapshot can be read, and the log that it replaced is deleted. The
    /// lost key lies between the keys of the neighbouring records: for that range the older snapshot's values are used.
    @Test func whereNothingElseIsLeftAnOlderSnapshotStandsIn() async throws {
        let first = try await WrittenStore.make(.compacted, seed: 28)
        let fileSystem = try first.image.fileSystem()
        let store = try await Store.open(at: DirectoryImage.path, configuration: WrittenStore.configuration(fileSystem))
        _ = try await store.compact()
        try await store.close()
        var image = try DirectoryImage(of: fileSystem)
        let (newest, older) = (image.snapshots.last!, first.image.snapshots[0])
        image.files[older] = first.image.files[older]
        let records = try FileLayout.records(ofSnapshot: image.files[newest]!)
        let now = first.state(of: first.changes.keys)
        let then = first.state(of: first.changes.keys.filter { $0 <= UInt64(older.prefix(16), radix: 16)! })
        var olderValues = 0
        for (index, record) in records.enumerated() {
            var damaged = image
            damaged.files[newest]![record.part.lowerBound + 33] ^= 1
            damaged.files[newest]![records.last!.part.upperBound + 40] ^= 1
            let files = try damaged.fileSystem()
            let report = try Repair.run(DirectoryImage.path, output: "/repaired", now: 1, fileSystem: files)
            var expected = now
            expected[record.key] = nil
            for (key, value) in then {
                let isAfter = index == 0 || records[index - 1].key.lexicographicallyPrecedes(key)
                let isBefore = index + 1 == records.count || key.lexicographicallyPrecedes(records[index + 1].key)
                if isAfter, isBefore { expected[key] = value }
            }
            let found = try await WrittenStore.contents(of: files, at: "/repaired")
            #expect(found == expected, "record \(index): \(difference(found, expected)) \(report)")
            #expect(report.losses.count == 1)
            olderValues += Int(report.olderValues)
        }
        #expect(olderValues > 10)
    }

    /// A snapshot that verifies but differs from the log.
    @Test func aSnapshotIsComparedWithTheLogThatItReplaced() async throws {
        let written = try await WrittenStore.make(.kept, seed: 27)
        let fileSystem = try written.image.fileSystem()
        let check = try Verification.run(DirectoryImage.path, fileSystem: fileSystem, patience: .none)
        #expect(check.verdict == .clean && check.comparedSnapshots == 1)
        // One key less than in the log.
        let name = written.image.snapshots[0]
        let forged = try Forgery.without(record: 3, written.image.files[name]!)
        var image = written.image
        image.files[name] = forged
        let second = try Verification.run(DirectoryImage.path, fileSystem: try image.fileSystem(), patience: .none)
        #expect(second.verdict == .corrupt && second.findings.count == 1, "\(second.findings)")
        #expect(second.findings.first?.file.hasSuffix(name) ?? false)
    }
}

/// A forged snapshot that verifies.
enum Forgery {
    static func without(record left: Int, _ bytes: [UInt8]) throws -> [UInt8] {
        let header = try bytes.withUnsafeBytes { try FileHeader.decode($0) }
        var forged = Array(bytes[..<4096])
        var encoder = KeyBlockEncoder()
        var footer = SnapshotFooter(recordCount: 0, keySectionOffset: 0, blockCount: 1, keyBytes: 0, expiringCount: 0)
        for (index, record) in try FileLayout.records(ofSnapshot: bytes).enumerated() where index != left {
            let old = try bytes.withUnsafeBytes { all in
                try RecordHeader.decode(
                    UnsafeRawBufferPointer(rebasing: all[record.part]), salt: header.salt,
                    offset: UInt64(record.part.lowerBound), flags: header.recordFlags)
            }
            var space = [UInt8](repeating: 0, count: 32)
            space.withUnsafeMutableBytes { memory in
                old.encode(
                    to: memory.baseAddress!, sequenceDistance: old.sequenceDistance,
                    tag: ChecksumTag(salt: header.salt, offset: UInt64(forged.count)))
            }
            record.key.withUnsafeBytes {
                encoder.add($0, offset: UInt64(forged.count), length: old.encodedLength, expiry: old.expiry)
            }
            forged += space + bytes[(record.part.lowerBound + 32)..<record.part.upperBound]
            footer.recordCount += 1
            footer.keyBytes += UInt64(record.key.count)
        }
        footer.keySectionOffset = UInt64(forged.count)
        encoder.finish(salt: header.salt, offset: UInt64(forged.count)) { forged += Array($0) }
        return forged + footer.encoded(salt: header.salt, offset: UInt64(forged.count))
    }
}
