import Foundation
import Heartwood
import HeartwoodFileSystem
@testable import HeartwoodLocal
import HeartwoodRepository
import HeartwoodTesting
import Testing

@Suite("failures") struct FailureTests {
    @Test func aLockedStoreIsOpenedOnceItIsFree() async throws {
        let scratch = try Scratch()
        let path = scratch.path("data.json.heartwood")
        try await LocalRepository<Chore>(directory: scratch.url).save(Chore(id: "1", title: "there"))
        try await LocalRepository<Chore>(directory: scratch.url).close()
        let other = try await Store.open(at: path)
        let log = LogLines()
        let repository = LocalRepository<Chore>(directory: scratch.url, logger: log.logger)
        #expect(await repository.loadAll().isEmpty)
        #expect(repository.problems.map(\.code) == [.locked])
        #expect(log.all.count == 1)
        let error = await #expect(throws: StoreError.self) {
            try await repository.save(Chore(id: "2", title: "refused"))
        }
        #expect(error?.code == .locked)
        #expect(await repository.find(by: "2") == nil)
        #expect(throws: StoreError.self) { try LocalRepository<Chore>(opening: scratch.url) }
        try await other.close()
        try await repository.save(Chore(id: "2", title: "accepted"))
        #expect(await repository.loadAll().map(\.id) == ["1", "2"])
        #expect(repository.problems.isEmpty)
    }

    @Test func aPlaceWithoutPermissionIsAProblem() async throws {
        let disk = SimulatedDisk()
        disk.inject(Fault(.createDirectory, .error(ErrorNumber.EACCES), times: .max))
        let repository = LocalRepository<Chore>(
            in: URL(fileURLWithPath: "/app"), "data.json", logger: LogLines().logger, fileSystem: disk)
        let error = #expect(throws: StoreError.self) { try repository.core.open(LogLines().logger) }
        #expect(error?.code == .permission)
        #expect(repository.problems.map(\.code) == [.permission])
        await #expect(throws: StoreError.self) { try await repository.delete("1") }
        disk.heal()
        try await repository.save(Chore(id: "1", title: "now"))
        #expect(repository.count == 1 && repository.problems.isEmpty)
    }

    @Test func aFailedWriteChangesNothing() async throws {
        let disk = SimulatedDisk()
        let repository = try LocalRepository<Chore>(on: disk)
        try await repository.save(Chore(id: "1", title: "kept"))
        disk.inject(Fault([.sync, .write, .store], .error(ErrorNumber.EIO), path: ".log", times: .max))
        await #expect(throws: StoreError.self) { try await repository.save(Chore(id: "1", title: "lost")) }
        await #expect(throws: StoreError.self) { try await repository.delete("1") }
        #expect(await repository.loadAll().map(\.title) == ["kept"])
        // The store accepts no more writes until it is opened again, which the next save does.
        disk.heal()
        try await repository.save(Chore(id: "2", title: "new"))
        #expect(await repository.find(by: "2")?.title == "new")
        let first = await repository.find(by: "1")?.title
        #expect(first == "kept" || first == "lost")
    }

    @Test func damageIsAProblem() async throws {
        let scratch = try Scratch()
        let repository = LocalRepository<Chore>(directory: scratch.url)
        try await repository.saveAll((0..<50).map { Chore(id: "\($0)", title: "title") })
        try await repository.close()
        let path = scratch.path("data.json.heartwood")
        let log = try #require(FileManager.default.contentsOfDirectory(atPath: path).first { $0.hasSuffix(".log") })
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path + "/" + log))
        for offset in 200..<300 { bytes[offset] ^= 0x55 }
        try bytes.write(to: URL(fileURLWithPath: path + "/" + log))
        let damaged = LocalRepository<Chore>(directory: scratch.url, logger: LogLines().logger)
        // The other repository was read before, and both share what is in memory.
        #expect(damaged.problems.map(\.code) == [.corruption])
        #expect(damaged.count == 50)
        let error = await #expect(throws: StoreError.self) { try await damaged.save(Chore(id: "1", title: "")) }
        #expect(error?.code == .corruption)
    }

    /// A store with three records, one of which doesn't decode.
    private func damagedRecord(_ scratch: Scratch) async throws {
        let repository = LocalRepository<Chore>(directory: scratch.url)
        for id in ["a", "b", "c"] { try await repository.save(Chore(id: id, title: id)) }
        let store = try #require(repository.store)
        let entries = try await store.fetchEntries(in: .all, reversed: false, limit: 10).entries
        let entry = try #require(entries.first { $0.value.contains(UInt8(ascii: "b")) && $0.value.first == 1 })
        try await store.write(
            WriteBatch(operations: [.init(key: entry.key, value: [1, 1, 0, 0x7B])]), durability: nil)
        try await repository.close()
    }

    @Test func aRecordThatDoesntDecodeIsThrownOnceAndStays() async throws {
        let scratch = try Scratch()
        try await damagedRecord(scratch)
        let log = LogLines()
        let repository = LocalRepository<Chore>(directory: scratch.url, logger: log.logger)
        #expect(await repository.loadAll().map(\.id) == ["a", "c"])
        #expect(repository.count == 2)
        #expect(await repository.find(by: "b") == nil)
        #expect(repository.problems.map(\.code) == [.undecodable])
        #expect(log.all.count == 1)
        let error = await #expect(throws: StoreError.self) { try await repository.save(Chore(id: "d", title: "d")) }
        #expect(error?.code == .undecodable)
        #expect(await repository.find(by: "d") == nil)
        try await repository.save(Chore(id: "d", title: "d"))
        // Each repository throws it once.
        let second = LocalRepository<Chore>(directory: scratch.url, logger: log.logger)
        await #expect(throws: StoreError.self) { try await second.delete("d") }
        try await second.delete("d")
        #expect(second.problems.count == 1)
        try await second.delete("b")
        #expect(second.problems.isEmpty && repository.problems.isEmpty)
        #expect(await repository.loadAll().map(\.id) == ["a", "c"])
    }

    @Test func aRecordThatDoesntDecodeIsReplaced() async throws {
        let scratch = try Scratch()
        try await damagedRecord(scratch)
        let repository = try LocalRepository<Chore>(opening: scratch.url, logger: LogLines().logger)
        #expect(repository.problems.count == 1)
        try await repository.save(Chore(id: "b", title: "again"))
        #expect(repository.problems.isEmpty)
        #expect(await repository.loadAll().map(\.title) == ["a", "again", "c"])
    }

    @Test func aPlaceThatCantBeIsAProblem() async throws {
        let scratch = try Scratch()
        for filename in ["", "..", ".", "/"] {
            let repository = LocalRepository<Chore>(
                directory: scratch.url, filename: filename, logger: LogLines().logger)
            #expect(repository.problems.map(\.code) == [.invalidArgument])
        }
        let web = try #require(URL(string: "https://example.org/items"))
        let repository = LocalRepository<Chore>(directory: web, logger: LogLines().logger)
        #expect(repository.problems.map(\.code) == [.invalidArgument])
        #expect(try scratch.names() == [])
        // A path of another kind of URL isn't that of a file.
        let path = try #require(URL(string: "https://example.org" + scratch.url.path))
        let refused = LocalRepository<Chore>(directory: path, logger: LogLines().logger)
        let accepted = LocalRepository<Chore>(directory: scratch.url, logger: LogLines().logger)
        #expect(refused.problems.count == 1 && accepted.problems.isEmpty)
    }
}
