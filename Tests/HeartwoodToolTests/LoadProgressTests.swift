internal import Foundation
internal import Testing

@testable internal import heartwood_tool

@Suite("load: the share that the progress bar shows")
struct LoadProgressTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("counts the input of the records that are written, not what was read ahead", arguments: [false, true])
    func share(isCompressed: Bool) async throws {
        let count = 50_000
        let text = (0..<count).map { "{\"id\":\($0),\"text\":\"record number \($0)\"}\n" }.joined()
        let bytes = try await isCompressed ? sandbox.gzip(text) : Array(text.utf8)
        let file = try InputFile(path: sandbox.scratchFile(bytes).path)
        let reader = LoadReader(
            file, format: .lines(key: try KeyTemplate(field: "id")), maximumLineBytes: 1 << 20, recordsPerJob: 10,
            skipsBadLines: false, isStopped: { false })
        let tally = LoadTally()
        var (written, share, ahead, behind) = (0, 0.0, 0.0, 0.0)
        while let piece = await reader.next() {
            #expect(piece.failure == nil)
            for job in piece.jobs {
                written += job.records.count
                tally.add(job, sequence: UInt64(written))
                share = try #require(tally.progress(of: file).share)
                let handled = Double(written) / Double(count)
                ahead = max(ahead, share - handled)
                behind = max(behind, handled - share)
            }
        }
        let block = Double(256 << 10) / Double(text.utf8.count)
        #expect(ahead <= block && behind <= block, "\(ahead), \(behind), \(block)")
        #expect(written == count && share > 0.99 && share <= 1, "\(written), \(share)")
    }
}
