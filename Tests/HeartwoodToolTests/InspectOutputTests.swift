internal import Foundation
internal import Testing

@Suite("inspect: JSON and page")
struct InspectOutputTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func fill(_ keys: [String], into store: String = "s") async throws {
        try await sandbox.load(keys.map { ($0, "of \($0)") }, into: store)
    }

    private func inspect(_ arguments: String...) async throws -> [String: Any] {
        let outcome = try await Tool.run(["inspect"] + arguments + ["--json"], in: sandbox)
        return try #require(outcome.objects().first)
    }

    private func sum(_ bytes: Any?) throws -> Int {
        let bytes = try #require(bytes as? [String: Int])
        #expect(Set(bytes.keys) == ["live", "dead", "format", "torn", "corrupt", "free"])
        return bytes.values.reduce(0, +)
    }

    // MARK: - JSON

    @Test("the JSON adds up, whole and damaged", arguments: [false, true])
    func addsUp(isDamaged: Bool) async throws {
        for _ in 0..<3 { try await fill((0..<200).map { "key-\($0)" }) }
        _ = try await sandbox.heartwood("compact", "s")
        for _ in 0..<2 { try await fill((100..<300).map { "key-\($0)" }) }
        if isDamaged { try sandbox.damage("of key-150", in: "s") }
        let found = try await inspect("s")
        #expect(found["verdict"] as? String == (isDamaged ? "corrupt" : "clean"))
        #expect(found["opens"] as? Bool == !isDamaged)
        let files = try #require(found["files"] as? [[String: Any]])
        #expect(files.count == 4)
        var total = 0
        for file in files {
            let size = try #require(file["size"] as? Int)
            let attributes = try FileManager.default.attributesOfItem(
                atPath: sandbox.directory.appendingPathComponent(try #require(file["path"] as? String)).path)
            #expect(attributes[.size] as? Int == size)
            #expect(try sum(file["bytes"]) == size)
            let map = try #require(file["map"] as? [Any])
            #expect(try map.reduce(0) { try $0 + sum($1) } == size)
            let records = try #require(file["records"] as? [String: Int])
            #expect(
                records["all"] == (records["puts"] ?? 0) + (records["expiringPuts"] ?? 0) + (records["deletes"] ?? 0))
            total += size
        }
        let totals = try #require(found["totals"] as? [String: Any])
        #expect(try sum(totals["bytes"]) == total)
        let findings = try #require(found["findings"] as? [[String: Any]])
        #expect(findings.isEmpty == !isDamaged)
        if !isDamaged { #expect(totals["keys"] as? Int == 300) }
    }

    // MARK: - Page

    /// The data in a page.
    private func data(of page: String) throws -> [String: Any] {
        let start = try #require(page.range(of: #"<script type="application/json" id="data">"#))
        let end = try #require(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
        let text = page[start.upperBound..<end.lowerBound]
        return try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func page(_ name: String) throws -> String {
        String(decoding: try sandbox.read(name), as: UTF8.self)
    }

    @Test("the page loads nothing, and has every record of a small store")
    func selfContained() async throws {
        try await fill((0..<100).map { "key-\($0)" })
        let outcome = try await sandbox.heartwood("inspect", "s", "--html", "page.html")
        #expect(outcome.code == 0 && outcome.error.isEmpty)
        #expect(outcome.output.hasSuffix("The page is in page.html.\n"))
        let page = try page("page.html")
        let urls = page.replacing("http://www.w3.org/2000/svg", with: "")
        #expect(!urls.contains("http://") && !urls.contains("https://") && !urls.contains("url("))
        #expect(!page.contains("@import") && !page.contains(" src="))
        #expect(page.contains("default-src 'none'"))
        let found = try data(of: page)
        #expect(found["records"] as? Int == 100)
        #expect(found["hasEveryRecord"] as? Bool == true)
        // No other file is left.
        #expect(try sandbox.names(in: "") == ["page.html", "s", "scratch"])
        // Another page replaces it.
        #expect(try await sandbox.heartwood("inspect", "s", "--html", "page.html").code == 0)
    }

    @Test("a key is never read as HTML")
    func inert() async throws {
        let keys = ["</script><b>bold", "<!--<script>", "]]>&amp;\"'", "\u{2028}\u{1B}"]
        try await fill(keys)
        try FileManager.default.createDirectory(
            at: sandbox.directory.appendingPathComponent("x<b>y"), withIntermediateDirectories: false)
        try await fill(["a"], into: "x<b>y/s")
        for store in ["s", "x<b>y/s"] {
            #expect(try await sandbox.heartwood("inspect", store, "--html", "page.html").code == 0)
            let page = try page("page.html")
            // Two scripts, one of them data.
            #expect(page.ranges(of: "<script").count == 2 && page.ranges(of: "</script").count == 2)
            #expect(!page.contains("<b>") && !page.contains("<!--"))
            _ = try data(of: page)
        }
        #expect(try await sandbox.heartwood("inspect", "s", "--html", "page.html").code == 0)
        let survey = try #require(data(of: page("page.html"))["survey"] as? [String: Any])
        let largest = try #require((survey["totals"] as? [String: Any])?["largestKeys"] as? [[String: Any]])
        #expect(Set(largest.compactMap { $0["key"] as? String }) == Set(keys))
    }

    @Test("the page is not written into the store, and replaces none of its files")
    func refusesTheStore() async throws {
        try await fill(["a", "b"])
        _ = try await sandbox.shell("mkdir s/sub; ln -s s link; cp s/0000000000000001.log 0000000000000009.log")
        let before = try await sandbox.shell("cat s/*.log | cksum; ls s; cat *.log | cksum")
        for (store, page) in [
            ("s", "s/page.html"), ("s", "s/0000000000000001.log"), ("s", "link/page.html"), ("link", "s/page.html"),
            ("s", "s/sub/page.html"), ("s/0000000000000001.log", "s/page.html"), ("s", "./s/../s/LOCK"),
            ("0000000000000009.log", "0000000000000009.log"), ("s", "0000000000000009.log"), ("s", "s"), ("s", "s/"),
        ] {
            let outcome = try await sandbox.heartwood("inspect", store, "--html", page)
            #expect(outcome.code == 64, "\(store) \(page): \(outcome.error)")
            #expect(outcome.output.isEmpty && outcome.error.hasPrefix("heartwood: "))
        }
        #expect(try await sandbox.shell("cat s/*.log | cksum; ls s; cat *.log | cksum").bytes == before.bytes)
        // The directory of a single file is no store.
        _ = try await sandbox.shell("mv 0000000000000009.log copy.log")
        #expect(try await sandbox.heartwood("inspect", "copy.log", "--html", "page.html").code == 0)
    }

    @Test("a page that can't be written is 74, before the store is read")
    func cannotWrite() async throws {
        try await fill(["a"])
        let outcome = try await sandbox.heartwood("inspect", "s", "--html", "nowhere/page.html")
        #expect(outcome.code == 74 && outcome.error.contains("no directory nowhere"))
        #expect(try await sandbox.heartwood("inspect", "s", "--html", "").code == 64)
    }
}
