import Foundation
import HeartwoodFileSystem
import Testing

@testable import HeartwoodLocal

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

    /// Two relative paths to one place are one place, wherever the process is when the store is opened.
    @Test func staysWhereItWasNamed() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            for name in ["here", "there", "here/lists"] {
                try FileManager.default.createDirectory(atPath: scratch.path(name), withIntermediateDirectories: false)
            }
            try scratch.write(#"[{"id": "1", "title": "here", "isDone": false}]"#, to: "here/chores.json")
            try scratch.write(#"[{"id": "1", "title": "there", "isDone": false}]"#, to: "there/chores.json")
            #expect(chdir(scratch.path("here")) == 0)
            let first = LocalRepository<Chore>(
                in: URL(fileURLWithPath: "lists/.."), "chores.json", fileSystem: POSIXFileSystem())
            let relative = URL(fileURLWithPath: ".")
            #expect(chdir(scratch.path("there")) == 0)
            let second = LocalRepository<Chore>(
                in: URL(fileURLWithPath: "../here"), "chores.json", fileSystem: POSIXFileSystem())
            #expect(first.core === second.core)
            let third = LocalRepository<Chore>(in: relative, "chores.json", fileSystem: POSIXFileSystem())
            #expect(third.core === first.core)
            // The first use opens it, and imports the file.
            try await first.save(Chore(id: "2", title: "saved"))
            #expect(await second.loadAll().map(\.title) == ["here", "saved"])
            #expect(chdir("/") == 0)
            try await first.close()
            try await second.save(Chore(id: "3", title: "opened again"))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: scratch.path("here")).sorted() == [
                    "chores.json.heartwood", "chores.json.imported", "lists",
                ])
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("there")) == ["chores.json"])
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
