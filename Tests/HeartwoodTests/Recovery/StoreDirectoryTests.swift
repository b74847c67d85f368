import HeartwoodFileSystem
import Testing

@testable import Heartwood

/// Which directories an opening accepts as a store, and which it leaves unchanged.
@Suite struct StoreDirectoryTests {
    let fileSystem = InMemoryFileSystem()

    private func open(createIfMissing: Bool) throws {
        var configuration = Store.Configuration(in: fileSystem)
        configuration.createIfMissing = createIfMissing
        try RecoveredStore("/store", configuration: configuration).release()
    }

    @Test func aFileIsNoStore() async throws {
        try fileSystem.openFile("/store", for: .create).close()
        for createIfMissing in [false, true] {
            await expectError(.notFound) { try open(createIfMissing: createIfMissing) }
        }
    }

    @Test(arguments: ["notes", "spare.log.tmp"])
    func aDirectoryOfOtherFilesIsLeftUnchanged(_ name: String) async throws {
        try fileSystem.createDirectory("/store")
        try fileSystem.openFile("/store/" + name, for: .create).close()
        await expectError(.notFound) { try open(createIfMissing: false) }
        #expect(try fileSystem.contents(ofDirectory: "/store") == [name])
    }

    @Test(arguments: ["~", "~/store", "~root/store", "~/"])
    func aHomeDirectoryIsNotCreated(path: String) async throws {
        let error = await expectError(.invalidArgument) {
            _ = try Store(openingAt: path, configuration: Store.Configuration(in: fileSystem))
        }
        #expect(error?.message.contains("give the whole path") == true)
        #expect(try fileSystem.kind(of: "~") == nil)
    }

    /// A store in the directory of another one keeps that from opening.
    @Test(arguments: ["0000000000000001.log", "00000000000000ff.snapshot", "LOCK", "KEEP-LOG"])
    func noStoreHasTheNameOfAFileOfOne(name: String) async throws {
        try open(createIfMissing: true)
        let path = "/store/" + name
        await expectError(.invalidArgument) {
            _ = try Store(openingAt: path, configuration: Store.Configuration(in: fileSystem))
        }
        await expectError(.invalidArgument) { _ = try await ReadOnlyStore.open(at: path) }
    }

    @Test func aStoreInAnotherOneHasNoEffectOnIt() async throws {
        for path in ["/store", "/store/inner.tmp", "/store/inner"] {
            let store = try Store(openingAt: path, configuration: Store.Configuration(in: fileSystem))
            try await store.put("a", "1")
            try await store.compact()
            try await store.close()
        }
        let store = try Store(openingAt: "/store", configuration: Store.Configuration(in: fileSystem))
        try await store.put("b", "1")
        try await store.compact()
        try await store.close()
        #expect(try fileSystem.contents(ofDirectory: "/store/inner.tmp").contains("LOCK"))
    }

    @Test func aStoreWithoutSegmentsIsAStore() throws {
        try open(createIfMissing: true)
        try open(createIfMissing: false)
        #expect(try fileSystem.contents(ofDirectory: "/store") == ["LOCK"])
    }
}
