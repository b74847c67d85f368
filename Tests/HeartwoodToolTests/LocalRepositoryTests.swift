internal import HeartwoodLocal
internal import Testing

/// The store of a `LocalRepository` is that of a repository named "items".
@Suite("local repositories")
struct LocalRepositoryTests {
    private struct Item: Codable, Identifiable {
        var id: String
        var title: String
    }

    @Test("are listed, read and verified")
    func areRead() async throws {
        let sandbox = try Sandbox()
        try sandbox.write(#"[{"id":"b","title":"imported"}]"#, to: "data.json")
        let repository = LocalRepository<Item>(directory: sandbox.directory)
        try await repository.save(Item(id: "a", title: "saved"))
        try await repository.close()
        let store = "data.json.heartwood"
        let objects = try await sandbox.heartwood("models", store, "--json").objects()
        #expect(objects.map { $0["name"] as? String } == ["items"])
        #expect(objects.map { $0["records"] as? Int } == [2])
        let item = try await sandbox.heartwood("get", store, "--model", "items", "b")
        #expect(item.output == #"{"id":"b","title":"imported"}"# + "\n", "\(item)")
        let scan = try await sandbox.heartwood("scan", store)
        #expect(scan.lines.contains { $0.hasPrefix("catalogue, import of items\t{") }, "\(scan)")
        #expect(scan.lines.contains { $0.hasPrefix("items, record \"a\"\t") }, "\(scan)")
        let verified = try await sandbox.heartwood("verify", store)
        #expect(verified.code == 0 && verified.error.isEmpty, "\(verified)")
    }
}
