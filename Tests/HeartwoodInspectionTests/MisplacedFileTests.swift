import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodTesting
import Testing

@testable import Heartwood
@testable import HeartwoodInspection

/// Files that are missing, swapped, of another store, older, or half-written: the verdict is that of an opening, and
/// repair brings back what the existing files contain.
@Suite struct MisplacedFileTests {
    private func check(_ image: DirectoryImage, _ written: WrittenStore, _ comment: Comment) async throws {
        try await expectSameVerdict(image, comment)
        let recoverable = try Oracle(written).recoverable(in: image)
        try await expectRepaired(image, written, recoverable, comment)
    }

    /// The effect of a lost directory entry, too.
    @Test(arguments: WrittenStore.Shape.allCases)
    func aMissingSegmentLosesItsOwnBatches(_ shape: WrittenStore.Shape) async throws {
        let written = try await WrittenStore.make(shape, seed: 11)
        for name in written.image.logs {
            var image = written.image
            image.files[name] = nil
            try await check(image, written, "\(shape) without \(name)")
        }
    }

    @Test(arguments: WrittenStore.Shape.allCases)
    func swappedSegmentsLoseNothing(_ shape: WrittenStore.Shape) async throws {
        let written = try await WrittenStore.make(shape, seed: 12)
        let logs = written.image.logs
        for (first, second) in [(logs[0], logs[1]), (logs[1], logs[logs.count - 1]), (logs[0], logs[logs.count - 1])] {
            var image = written.image
            image.files[first] = written.image.files[second]
            image.files[second] = written.image.files[first]
            try await expectSameVerdict(image, "\(shape) with \(first) and \(second) swapped")
            let all = try Oracle(written).recoverable(in: written.image)
            try await expectRepaired(image, written, all, "\(shape) with \(first) and \(second) swapped")
        }
    }

    @Test func renamedSegmentsLoseNothing() async throws {
        let written = try await WrittenStore.make(.log, seed: 13)
        let all = try Oracle(written).recoverable(in: written.image)
        for name in written.image.logs {
            for newName in ["ffff000000000000.log", "old-\(name).bak", "segment"] {
                var image = written.image
                image.files[newName] = image.files.removeValue(forKey: name)
                try await expectSameVerdict(image, "\(name) as \(newName)")
                try await expectRepaired(image, written, all, "\(name) as \(newName)")
            }
        }
    }

    @Test(arguments: WrittenStore.Shape.allCases)
    func aFileOfAnotherStoreIsLeftOut(_ shape: WrittenStore.Shape) async throws {
        let written = try await WrittenStore.make(shape, seed: 14)
        let other = try await WrittenStore.make(.log, seed: 15)
        // Under an unused name, and instead of one of the store's own files.
        var image = written.image
        let foreign = other.image.logs[2]
        image.files[foreign] = other.image.files[foreign]
        if written.image.files[foreign] == nil { try await check(image, written, "\(shape) with \(foreign) added") }
        image = written.image
        let own = written.image.logs[1]
        image.files[own] = other.image.files[other.image.logs[1]]
        try await expectSameVerdict(image, "\(shape) with a foreign \(own)")
        var rest = written.image
        rest.files[own] = nil
        let recoverable = try Oracle(written).recoverable(in: rest)
        try await expectRepaired(image, written, recoverable, "\(shape) with a foreign \(own)")
    }

    /// The damaged header may be the file's own; the commits after it are still another store's.
    @Test func whatAnotherStoreWroteAfterADamagedHeaderIsLeftOut() async throws {
        let written = try await WrittenStore.make(.log, seed: 28)
        let other = try await WrittenStore.make(.log, seed: 29)
        let own = written.image.logs[1]
        var image = written.image
        image.files[own]!.replaceSubrange(4_096..., with: other.image.files[other.image.logs[1]]![4_096...])
        image.files[own]![100] ^= 1
        var rest = written.image
        rest.files[own] = nil
        try await expectRepaired(image, written, try Oracle(written).recoverable(in: rest), "another store's commits")
    }

    @Test func ofTwoMixedStoresTheRequestedOneIsRepaired() async throws {
        let written = try await WrittenStore.make(.log, seed: 16)
        let other = try await WrittenStore.make(.log, seed: 17)
        var image = written.image
        for name in other.image.logs where image.files[name] == nil { image.files[name] = other.image.files[name] }
        let foreign = Set(image.files.keys).subtracting(written.image.files.keys)
        try await expectSameVerdict(image, "two stores")
        var options = RepairOptions()
        options.storeID = try FileLayout(log: written.image.files[written.image.logs[0]]!).header.storeID
        let mine = try Oracle(written).recoverable(in: written.image)
        try await expectRepaired(image, written, mine, "the first of two stores", options)
        // Of the other store, only files with unused names exist.
        options.storeID = try FileLayout(log: other.image.files[other.image.logs[0]]!).header.storeID
        var rest = other.image
        for name in other.image.logs where !foreign.contains(name) { rest.files[name] = nil }
        let theirs = try Oracle(other).recoverable(in: rest)
        try await expectRepaired(image, other, theirs, "the second of two stores", options)
    }

    /// As after a part of a backup was restored over a newer store.
    @Test func anOlderSegmentLosesWhatItLacks() async throws {
        let written = try await WrittenStore.make(.log, seed: 18)
        for name in written.image.logs {
            let layout = try FileLayout(log: written.image.files[name]!)
            guard let commit = layout.commits.dropLast().last else { continue }
            var image = written.image
            image.files[name] = Array(written.image.files[name]![..<commit.part.lowerBound])
            try await check(image, written, "an older \(name)")
        }
    }

    @Test func aCopyOfASegmentIsNotTakenTwice() async throws {
        let written = try await WrittenStore.make(.log, seed: 19)
        let all = try Oracle(written).recoverable(in: written.image)
        var random = SeededRandom(19, 63)
        for name in written.image.logs {
            var image = written.image
            image.files["copy of \(name)"] = image.files[name]
            try await expectRepaired(image, written, all, "a copy of \(name)")
            // Each copy restores what the other has lost.
            let bytes = image.files[name]!
            let layout = try FileLayout(log: bytes)
            let records = layout.commits.flatMap(\.records)
            guard let first = records.first, let last = records.last else { continue }
            let copies = [
                DamageKind.bitFlip.damage(bytes, at: first.part.lowerBound, &random),
                DamageKind.garbageSector.damage(bytes, at: last.part.lowerBound, &random),
            ]
            (image.files[name], image.files["copy of \(name)"]) = (copies[0], copies[1])
            var expected = all
            for (sequence, parts) in layout.batches {
                let isLost = copies.allSatisfy { copy in
                    changedBytes(bytes, copy).map { changed in parts.contains(where: changed.isChanged) } ?? false
                }
                if isLost { expected.sequences.remove(sequence) }
            }
            try await expectRepaired(image, written, expected, "two damaged copies of \(name)")
        }
    }

    /// Five segments of one commit each, as a kill leaves them.
    private static func segmentsOfOneCommit() async throws -> WrittenStore {
        var written = WrittenStore()
        let fileSystem = InMemoryFileSystem()
        let store = try await Store.open(at: DirectoryImage.path, configuration: WrittenStore.configuration(fileSystem))
        for number in 0..<40 {
            let (key, value) = (Array("key \(number % 7)".utf8), [UInt8](repeating: UInt8(number), count: 440))
            let sequence = try await store.put(key, value, durability: .buffered)
            written.changes[sequence] = [(key, value)]
            if number % 8 == 7 { try await store.sync() }
        }
        written.image = try DirectoryImage(of: fileSystem)
        try await store.close()
        return written
    }

    /// Without their headers and their commit headers, only their names tell the numbers of two segments, and one of
    /// the two is a copy. The other headers show which name is wrong.
    @Test func aCopyWithoutHeadersIsNumberedByTheRightName() async throws {
        let written = try await Self.segmentsOfOneCommit()
        let logs = written.image.logs
        #expect(logs.count == 5)
        for (from, name) in logs.enumerated() {
            let layout = try FileLayout(log: written.image.files[name]!)
            #expect(layout.commits.count == 1)
            for (to, replaced) in logs.enumerated() where to != from {
                // Nothing names the salt of the newest segment, and nothing is after the one that it replaces.
                if from + to == 7 { continue }
                var image = written.image
                for index in 54..<4_150 { image.files[name]![index] = 0xdd }
                image.files[replaced] = image.files[name]
                let gone = try FileLayout(log: written.image.files[replaced]!).batches.keys
                let lost = gone + [layout.batches.keys.min()!]
                let left = Set(written.changes.keys).subtracting(lost)
                let comment: Comment = "\(replaced) is a copy of \(name)"
                try await expectRepaired(image, written, Oracle.Recoverable(sequences: left), comment)
                let plan = try Repair.plan(DirectoryImage.path, fileSystem: try image.fileSystem())
                for number in lost {
                    #expect(plan.losses.contains { $0.sequences?.contains(number) ?? false }, "\(comment): \(number)")
                }
            }
        }
    }

    @Test func aCopyThatWasWrittenToIsLeftOut() async throws {
        let written = try await WrittenStore.make(.log, seed: 20, closes: true)
        // Two copies of a store, with different writes to each.
        let fileSystem = try written.image.fileSystem()
        let store = try await Store.open(at: DirectoryImage.path, configuration: WrittenStore.configuration(fileSystem))
        let mine = try await store.put("mine", "1")
        try await store.close()
        let second = try written.image.fileSystem()
        let copy = try await Store.open(at: DirectoryImage.path, configuration: WrittenStore.configuration(second))
        try await copy.put("theirs", "2")
        try await copy.put("theirs", "3")
        try await copy.close()
        var image = try DirectoryImage(of: fileSystem)
        let others = try DirectoryImage(of: second)
        let newest = others.logs.last!
        image.files["another.log"] = others.files[newest]
        var both = written
        both.image = image
        both.changes[mine] = [(Array("mine".utf8), Array("1".utf8))]
        let found = try await repairedContents(of: image)
        // Either of the two may be taken, but never a mixture.
        #expect((found["mine"] == nil) != (found["theirs"] == nil), "\(found["mine"] ?? []) \(found["theirs"] ?? [])")
        let plan = try Repair.plan(DirectoryImage.path, fileSystem: try image.fileSystem())
        #expect(plan.sources.contains { $0.use == .otherHistory })
    }

    private func repairedContents(of image: DirectoryImage) async throws -> [String: [UInt8]] {
        let fileSystem = try image.fileSystem()
        _ = try Repair.run(DirectoryImage.path, output: "/repaired", now: 1, fileSystem: fileSystem)
        let found = try await WrittenStore.contents(of: fileSystem, at: "/repaired")
        return Dictionary(uniqueKeysWithValues: found.map { (String(decoding: $0.key, as: UTF8.self), $0.value.value) })
    }
}
