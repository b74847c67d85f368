import Foundation
import HeartwoodLocal
import Testing

@Suite("documents directory") struct LocationTests {
    @Test func isInTheHomeDirectory() async {
        #expect(URL.documentsDirectory.isFileURL)
        await #expect(processExitsWith: .success) {
            setenv("XDG_DOCUMENTS_DIR", "relative", 1)
            setenv("HOME", "/home/of the user", 1)
            let url: URL = .documentsDirectory
            #expect(url.path == "/home/of the user/Documents")
            #expect(url == URL.documentsDirectory)
        }
    }

    /// The initializers without a directory, in a process of its own, which has another documents directory.
    @Test func isWhereRepositoriesAreByDefault() async {
        await #expect(processExitsWith: .success) {
            let home = FileManager.default.temporaryDirectory.appendingPathComponent("local-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: home) }
            setenv("XDG_DOCUMENTS_DIR", home.appendingPathComponent("Papers").path, 1)
            let plain = LocalRepository<Chore>()
            try await plain.save(Chore(id: "a", title: "by default"))
            let named = LocalRepository<Chore>(filename: "chores.json")
            #expect(await named.loadAll().isEmpty)
            try await named.save(Chore(id: "b", title: "named"))
            #expect(await LocalRepository<Chore>().loadAll().map(\.id) == ["a"])
            let list = await ChoreList()
            await list.add(Chore(id: "c", title: "of the view model"))
            #expect(await list.chores.map(\.id) == ["a", "c"])
            let names = try FileManager.default.contentsOfDirectory(
                atPath: home.appendingPathComponent("Papers").path)
            #expect(names.sorted() == ["chores.json.heartwood", "data.json.heartwood"])
        }
    }
}
