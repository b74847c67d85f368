import HeartwoodFileSystem
import Testing

@testable import Heartwood

/// What an opening takes for a store, and what it leaves alone.
@Suite struct StoreDirectoryTests {
    let fileSystem = InMemoryFileSystem()

    private func open(createIfMissing: Bool) throws {
        var configuration = Store.Configuration()
        configuration.fileSystem = fileSystem
        configuration.createIfMissing = createIfMissing
        try RecoveredStore("/store", configuration: configuration).release()
    }

    @Test func aFileIsNoStore() async throws {
        try fileSystem.openFile("/store", for: .create).close()
        for mayMake in [false, true] {
            await expectError(.notFound) { try open(createIfMissing: mayMake) }
        }
    }

    @Test(arguments: ["notes", "spare.log.tmp"])
    func aDirectoryOfSomethingElseIsLeftAlone(_ name: String) async throws {
        try fileSystem.createDirectory("/store")
        try fileSystem.openFile("/store/" + name, for: .create).close()
        await expectError(.notFound) { try open(createIfMissing: false) }
        #expect(try fileSystem.contents(ofDirectory: "/store") == [name])
    }

    @Test(arguments: ["~", "~/store", "~root/store", "~/"])
    func aHomeDirectoryIsNotMade(path: String) async throws {
        var configuration = Store.Configuration()
        configuration.fileSystem = fileSystem
        let error = await expectError(.invalidArgument) { _ = try Store(openingAt: path, configuration: configuration) }
        #expect(error?.message.contains("give the whole path") == true)
        #expect(try fileSystem.kind(of: "~") == nil)
    }

    @Test func aStoreWithoutSegmentsIsAStore() throws {
        try open(createIfMissing: true)
        try open(createIfMissing: false)
        #expect(try fileSystem.contents(ofDirectory: "/store") == ["LOCK"])
    }
}
