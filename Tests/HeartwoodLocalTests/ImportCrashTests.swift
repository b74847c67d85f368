import Foundation
import Heartwood
import HeartwoodFileSystem
@testable import HeartwoodLocal
import HeartwoodTesting
import Testing

@Suite("import, killed") struct ImportCrashTests {
    private struct Broken: Error, CustomStringConvertible {
        var description: String

        init(_ description: String) { self.description = description }
    }

    private static let items = (0..<12).map { Chore(id: "\($0)", title: "title \($0)") }
    private static let file: [UInt8] = Array((try? JSONEncoder().encode(items)) ?? Data())

    private static var image: DiskImage {
        var image = DiskImage()
        image[path: "/app/data.json"] = file
        return image
    }

    /// Imports, saves an item and deletes one.
    private static func use(_ disk: SimulatedDisk) async throws {
        let repository = try LocalRepository<Chore>(on: disk)
        disk.note("imported")
        try await repository.save(Chore(id: "new", title: "saved"))
        disk.note("saved")
        try await repository.delete("0")
        disk.note("deleted")
        try await repository.close()
    }

    /// What a crash leaves in the middle of an import: some records, and the marker that it has begun.
    private static func interruptedImport() async throws -> DiskImage {
        let disk = SimulatedDisk(image: image)
        _ = try LocalRepository<Chore>(on: disk)
        let trace = disk.trace
        for events in 0...trace.events.count {
            let image = trace.crash(CrashState(events: events, losses: .nothing)).image
            guard image.files.contains(where: { $0.hasSuffix(".log") }) else { continue }
            var configuration = Store.Configuration()
            configuration.fileSystem = SimulatedDisk(image: image)
            let store = try await Store.open(at: "/app/data.json.heartwood", configuration: configuration)
            let isBegun = try ImportMarker.read(in: store)?.isComplete == false
            let keys = try store.scan().count()
            try await store.close()
            if isBegun && keys > 6 { return image }
        }
        throw Broken("no crash left a part of the records")
    }

    /// Either the JSON file is there as it was, or the store is complete; and the next opening has all items.
    private static func check(_ disk: SimulatedDisk, _ crash: Crash) async throws {
        let done = Set(crash.notes(of: String.self))
        let names = try disk.contents(ofDirectory: "/app")
        let files = names.filter { $0.hasPrefix("data.json") && !$0.hasSuffix(".heartwood") }
        guard files == ["data.json"] || files == ["data.json.imported"] else { throw Broken("files: \(names)") }
        guard disk.image[path: "/app/" + files[0]] == file else { throw Broken("the file was changed") }
        if done.contains("imported"), !names.contains("data.json.heartwood") { throw Broken("no store") }
        let hasOnlyFile = files == ["data.json"]
        let repository = try LocalRepository<Chore>(on: disk)
        guard repository.problems.isEmpty else { throw Broken("\(repository.problems)") }
        var ids = Set(await repository.loadAll().map(\.id))
        let hadNew = ids.remove("new") != nil
        if done.contains("saved"), !hadNew { throw Broken("a saved item is lost") }
        let all = Set(items.map(\.id))
        guard ids == all || hadNew && ids == all.subtracting(["0"]) else { throw Broken("items: \(ids)") }
        if done.contains("deleted"), ids.contains("0") { throw Broken("a deleted item is back") }
        guard try disk.contents(ofDirectory: "/app").filter({ $0.hasSuffix(".imported") }).count == 1 else {
            throw Broken("the file wasn't renamed, and there \(hasOnlyFile ? "was" : "wasn't") one")
        }
        try await repository.save(Chore(id: "after", title: "works again"))
        guard await repository.find(by: "after") != nil else { throw Broken("a save has no effect") }
        try await repository.close()
    }

    @Test func atEveryCall() async throws {
        let report = try await CrashTest(statesPerMoment: 12, image: Self.image).run { disk in
            try await Self.use(disk)
        } check: { disk, crash in
            try await Self.check(disk, crash)
        }
        #expect(report.crashes > 20, "\(report)")
    }

    @Test func aFileThatWasChangedAfterACrashIsImportedAlone() async throws {
        var image = try await Self.interruptedImport()
        let changed = [Chore(id: "5", title: "changed"), Chore(id: "another", title: "new")]
        image[path: "/app/data.json"] = Array(try JSONEncoder().encode(changed))
        let repository = try LocalRepository<Chore>(on: SimulatedDisk(image: image))
        #expect(await repository.loadAll() == changed)
        #expect(repository.problems.isEmpty)
    }

    @Test func aFileThatIsGoneAfterACrashIsAProblem() async throws {
        var image = try await Self.interruptedImport()
        image[path: "/app/data.json"] = nil
        let disk = SimulatedDisk(image: image)
        let error = #expect(throws: StoreError.self) { try LocalRepository<Chore>(on: disk) }
        #expect(error?.code == .importFailed)
        var restored = disk.image
        restored[path: "/app/data.json"] = Self.file
        let repository = try LocalRepository<Chore>(on: SimulatedDisk(image: restored))
        #expect(repository.count == Self.items.count)
    }

    @Test func atEveryCallOfTheNextImport() async throws {
        let image = try await Self.interruptedImport()
        let report = try await CrashTest(statesPerMoment: 8, image: image).run { disk in
            try await Self.use(disk)
        } check: { disk, crash in
            try await Self.check(disk, crash)
        }
        #expect(report.crashes > 15, "\(report)")
    }

    /// Each crash of an import that is made again after a crash.
    @Test func atEveryCallOfTheNextImportAfterACrash() async throws {
        var (interrupted, checked) = (0, 0)
        try await CrashTest(statesPerMoment: 2, image: Self.image).run { disk in
            _ = try LocalRepository<Chore>(on: disk)
        } check: { disk, crash in
            guard crash.image.files.contains("/app/data.json"),
                crash.image.files.contains(where: { $0.hasSuffix(".log") })
            else { return }
            interrupted += 1
            guard interrupted % 4 == 0 else { return }
            let report = try await CrashTest(statesPerMoment: 2, image: crash.image).run { disk in
                _ = try LocalRepository<Chore>(on: disk)
            } check: { disk, again in
                try await Self.check(disk, again)
            }
            checked += report.crashes
        }
        #expect(checked > 20)
    }

    @Test func withEveryCallFailing() async throws {
        let report = try await CrashTest(image: Self.image).failEveryCall(times: [1], crashes: 2) { disk in
            try await Self.use(disk)
        } check: { disk, crash in
            try await Self.check(disk, crash)
        }
        #expect(report.faults > 50, "\(report)")
    }

    /// The initializer of the pattern doesn't throw: what it could not do, the next save does or throws.
    @Test func withEveryCallFailingOnce() async throws {
        var call = 1
        while true {
            let disk = SimulatedDisk(image: Self.image)
            disk.inject(Fault([], .error(ErrorNumber.EIO), at: call))
            let repository = LocalRepository<Chore>(
                in: URL(fileURLWithPath: "/app"), "data.json", logger: LogLines().logger, fileSystem: disk)
            _ = try? repository.core.open(LogLines().logger)
            if repository.count == 0 { #expect(!repository.problems.isEmpty) }
            for attempt in 0..<3 {
                do {
                    try await repository.save(Chore(id: "new", title: "saved"))
                    break
                } catch {
                    #expect(attempt < 2, "call \(call): \(error)")
                }
            }
            #expect(repository.count == Self.items.count + 1, "call \(call): \(repository.problems)")
            try? await repository.close()
            if disk.injected.isEmpty { break }
            call += 1
        }
        #expect(call > 20)
    }
}
