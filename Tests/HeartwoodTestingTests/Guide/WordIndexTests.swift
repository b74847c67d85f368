import Heartwood
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

/// The index of the guide is always that of its position, and in the end that of the source: whichever side is killed,
/// overtaken by a compaction, or in another process.
@Suite(.timeLimit(.minutes(5))) struct WordIndexTests {
    @Test func findsTheNotesOfAWord() async throws {
        let source = try await NoteStore.open(InMemoryFileSystem())
        let index = try await openIndex(InMemoryFileSystem())
        try await source.write(["1": "The quick brown fox", "2": "a lazy dog"])
        try await index.keepUp(with: source) {
            try await source.write(["1": "the Fox, the dog; and the fox"])
            try await source.write(["3": "fox", "4": ""])
            try await source.write(["3": nil])
        }
        #expect(try index.notes(with: "FOX") == ["1"])
        #expect(try index.notes(with: "dog") == ["1", "2"])
        #expect(try index.notes(with: "quick") == [] && index.notes(with: "do") == [])
        try await source.close()
    }

    @Test func wordsExpireWithTheirNote() async throws {
        let source = try await NoteStore.open(InMemoryFileSystem())
        let index = try await openIndex(InMemoryFileSystem())
        let (first, second) = (Timestamp(milliseconds: 4_000_000_000_000), Timestamp(milliseconds: 4_100_000_000_000))
        try await source.write(["1": "fox"], expires: .at(first))
        try await index.keepUp(with: source) { try await source.write(["2": "fox"], expires: .at(second)) }
        #expect(try index.store.expiry(of: "word/fox/1")?.timestamp == first)
        #expect(try index.store.expiry(of: "word/fox/2")?.timestamp == second)
        #expect(try index.store.expiry(of: "note/2")?.timestamp == second)
        try await source.close()
    }

    /// The index's disk loses power at each of its calls, while the index follows, is away, and starts over.
    @Test func survivesEveryCrashOfTheIndex() async throws {
        let source = try await NoteStore.open(InMemoryFileSystem())
        let report = try await CrashTest(statesPerMoment: 12).run { disk in
            let index = try await openIndex(disk)
            try await source.write(["1": "quick brown fox", "2": "lazy dog"])
            try await index.keepUp(with: source) { try await source.edit(0..<12) }
            try await index.store.close()
            // It is overtaken.
            try await source.edit(12..<18)
            try await source.store.compact()
            let again = try await openIndex(disk)
            try await again.keepUp(with: source) { try await source.edit(18..<24) }
            try await again.store.sync()
            try await again.keepUp(with: source) { try await source.edit(24..<30) }
            try await again.store.close()
        } check: { disk, _ in
            let index = try await openIndex(disk)
            if let position = try index.position() {
                try await index.expect(source.notes(at: position.sequence), "at \(position)")
            }
            try await index.keepUp(with: source) {}
            try index.expect(source.notes(), "in the end")
            try await index.store.close()
        }
        #expect(report.crashes > 100, "\(report)")
        try await source.close()
    }

    /// The source's disk loses power at each of its calls, and the index is killed with it. It never has a write that
    /// the source lost.
    @Test func survivesEveryCrashOfTheSource() async throws {
        let report = try await crashSource(followedAt: .durable)
        #expect(report.crashes > 100, "\(report)")
    }

    @Test func anIndexOfVisibleChangesMayBeAhead() async throws {
        // On a busy machine, the store's background sync may come before each note: then there is nothing to find.
        for _ in 0..<20 {
            do {
                _ = try await crashSource(followedAt: .visible)
            } catch let failure as CrashTest.Failure {
                #expect("\(failure.cause)".contains("is lost"), "\(failure)")
                return
            }
        }
        Issue.record("an index of visible changes was never ahead of its source")
    }

    private func crashSource(followedAt level: ChangeLevel) async throws -> CrashTest.Report {
        try await CrashTest(statesPerMoment: 12).run { disk in
            let indexDisk = SimulatedDisk(seed: 2)
            indexDisk.stopTracing()
            let source = try await NoteStore.open(disk)
            var index = try await openIndex(indexDisk)
            index.level = level
            for round in 0..<4 {
                try await source.edit(6 * round..<6 * round + 6, .buffered)
                if round % 2 == 1 { try await source.store.sync() }
                if level == .visible || round % 2 == 1 { try await index.keepUp(with: source) {} }
                if round == 1 { try await source.store.compact() }
                try await index.store.sync()
                // What the disk has of the index if its process is killed now.
                disk.note(indexDisk.image)
            }
            try await source.close()
        } check: { disk, crash in
            guard let image = crash.notes(of: DiskImage.self).last else { return }
            let index = try await openIndex(SimulatedDisk(image: image))
            let source = try await NoteStore.open(disk)
            if let position = try index.position() {
                guard position.sequence <= source.store.recoveryReport.lastSequence else {
                    throw Broken("the index is at \(position), and that write is lost")
                }
            }
            try await index.keepUp(with: source) { try await source.edit(30..<32) }
            try index.expect(source.notes(), "in the end")
            try await index.store.close()
            try await source.close()
        }
    }

    @Test func startsOverWithAnotherStore() async throws {
        let index = try await openIndex(InMemoryFileSystem())
        for round in 0..<2 {
            let source = try await NoteStore.open(InMemoryFileSystem())
            try await index.keepUp(with: source) { try await source.edit(20 * round..<20 * round + 15) }
            try index.expect(source.notes(), "of store \(round)")
            try await source.close()
        }
    }

    /// When the source is closed, the position is that of its last write, also if that was of another key.
    @Test func aCloseEndsItAtTheLastWrite() async throws {
        let source = try await NoteStore.open(InMemoryFileSystem())
        let index = try await openIndex(InMemoryFileSystem())
        try await source.edit(0..<5)
        let following = Task { try await index.follow(source.store) }
        while try index.position() == nil { try await Task.sleep(for: .milliseconds(1)) }
        let last = try await source.store.put("other", "1")
        try await source.close()
        try await following.value
        #expect(try index.position()?.sequence == last)
    }

    /// The index reads the files of a store that is open elsewhere, as a second process does.
    @Test(arguments: [ChangeLevel.durable, .visible])
    func followsFilesThatAreWrittenElsewhere(level: ChangeLevel) async throws {
        let disk = SimulatedDisk(seed: 1)
        disk.stopTracing()
        let source = try await NoteStore.open(disk)
        var configuration = Store.Configuration()
        configuration.fileSystem = disk
        // The store has no write yet, so it has no identity.
        let reader = try await ReadOnlyStore.open(at: "/source", level: level, configuration: configuration)
        var index = try await openIndex(InMemoryFileSystem())
        index.level = level
        for round in 0..<4 {
            let numbers = 10 * round..<10 * round + 10
            try await index.keepUp(with: source, by: reader) { try await source.edit(numbers) }
            try index.expect(source.notes(), "in round \(round)")
            if round == 1 {
                try await source.edit(50..<60)
                try await source.store.compact()
            }
        }
        try await source.close()
    }
}

private func openIndex(_ fileSystem: any FileSystem) async throws -> WordIndex {
    var configuration = Store.Configuration()
    configuration.fileSystem = fileSystem
    configuration.segmentBytes = 64 << 10
    return WordIndex(store: try await Store.open(at: "/index", configuration: configuration))
}

extension WordIndex {
    /// Follows the source while `body` writes to it, and until the index has everything up to the source's last
    /// write of notes.
    fileprivate func keepUp(
        with source: NoteStore, by reader: ReadOnlyStore? = nil, _ body: @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                if let reader { try await self.follow(reader) } else { try await self.follow(source.store) }
                throw Broken("the feed ended")
            }
            try await body()
            let goal = await source.lastWrite
            group.addTask {
                while try self.position().map({ $0.store != source.store.id || $0.sequence < goal }) ?? true {
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            try await group.next()
            group.cancelAll()
        }
    }

    /// - Throws: `Broken` unless the index is exactly that of the notes.
    fileprivate func expect(_ notes: [String: String], _ what: String) throws {
        var expected: [String: String] = [:]
        for (id, text) in notes {
            let words = Set(text.split(separator: " ")).sorted()
            for word in words { expected["word/\(word)/\(id)"] = "" }
            if !words.isEmpty { expected["note/\(id)"] = words.joined(separator: " ") }
        }
        var found: [String: String] = [:]
        for entry in try store.scan().entries() {
            found[String(decoding: entry.key, as: UTF8.self)] = String(decoding: entry.value, as: UTF8.self)
        }
        found["position"] = nil
        guard found == expected else { throw Broken("\(what), the index has \(found), not \(expected)") }
    }
}

/// A store of notes, and what it has had.
private struct NoteStore: Sendable {
    let store: Store
    private let states = States()

    private actor States {
        var all: [SequenceNumber: [String: String]] = [:]

        func add(_ notes: [String: String], at sequence: SequenceNumber) { all[sequence] = notes }
    }

    static func open(_ fileSystem: any FileSystem) async throws -> NoteStore {
        var configuration = Store.Configuration()
        configuration.fileSystem = fileSystem
        configuration.segmentBytes = 64 << 10
        configuration.compaction = .manual
        return NoteStore(store: try await Store.open(at: "/source", configuration: configuration))
    }

    func close() async throws { try await store.close() }

    func write(
        _ notes: [String: String?], _ durability: Durability = .synced, expires: Expiry = .never
    ) async throws {
        let sequence = try await store.write(durability: durability) { batch in
            for (id, text) in notes {
                if let text { batch.put("note/\(id)", text, expires: expires) } else { batch.remove("note/\(id)") }
            }
        }
        await states.add(try self.notes(), at: sequence)
    }

    /// Writes batches of one to three notes, which follow from their number.
    func edit(_ numbers: Range<Int>, _ durability: Durability = .synced) async throws {
        let words = ["brown", "dog", "fox", "lazy", "quick"]
        for number in numbers {
            var random = SeededRandom(5, UInt64(number))
            var notes: [String: String?] = [:]
            for _ in 0...random.below(3) {
                let text = (0..<random.below(4)).map { _ in words[random.below(words.count)] }.joined(separator: " ")
                notes["\(random.below(6))"] = random.oneIn(4) ? .some(nil) : text
            }
            if random.oneIn(3) { try await store.put("other/\(number)", "x", durability: durability) }
            try await write(notes, durability)
        }
    }

    /// What it has now.
    func notes() throws -> [String: String] {
        var notes: [String: String] = [:]
        for entry in try store.scan(.prefix("note/")).entries() {
            let id = String(decoding: entry.key.dropFirst(5), as: UTF8.self)
            notes[id] = String(decoding: entry.value, as: UTF8.self)
        }
        return notes
    }

    /// The number of the last write of notes.
    var lastWrite: SequenceNumber {
        get async { await states.all.keys.max() ?? 0 }
    }

    /// What it had after the write with a number.
    func notes(at sequence: SequenceNumber) async -> [String: String] {
        let all = await states.all
        return all.filter { $0.key <= sequence }.max { $0.key < $1.key }?.value ?? [:]
    }
}
