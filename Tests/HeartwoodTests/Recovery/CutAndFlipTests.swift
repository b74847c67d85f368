import HeartwoodFileSystem
import HeartwoodFormat
import Testing

@testable import Heartwood

/// Opening a store whose files are truncated or changed, byte by byte.
@Suite struct CutAndFlipTests {
    /// Opens an image in memory.
    private func open(_ image: FileImage) throws -> (store: Store, configuration: Store.Configuration) {
        let configuration = StoreHistory.configuration(try image.fileSystem())
        return (try Store(openingAt: "/store", configuration: configuration), configuration)
    }

    @Test func aLogTruncatedToAnyLengthKeepsTheWholeCommits() async throws {
        let history = try await StoreHistory(.crashed)
        let original = history.final.image
        let name = history.names.last!
        let bytes = original.files[name]!
        var last = history.final.sequence
        for length in stride(from: original.end(of: name), through: 4096, by: -Sweep.step) {
            var (store, configuration) = try open(original.changed { $0[name] = Array(bytes[..<length]) })
            let recovered = store.recoveryReport.lastSequence
            #expect(try store.contents() == history.states[recovered], "truncated to \(length)")
            #expect(recovered == last || recovered == last - 1)
            last = recovered
            #expect(try await store.put("after", "1") > history.final.sequence)
            try await store.close()
            store = try Store(openingAt: "/store", configuration: configuration)
            var expected = history.states[recovered]!
            expected["after"] = "1"
            #expect(try store.contents() == expected)
        }
        #expect(last == history.lastMoment(of: StoreHistory.segmentCount - 2).sequence)
    }

    @Test func aChangedByteIsNeverAWrongValueOrASilentLoss() async throws {
        let history = try await StoreHistory(.closed)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for segment in history.names.indices { group.addTask { try changeEachByte(of: segment, in: history) } }
            try await group.waitForAll()
        }
    }

    private func changeEachByte(of segment: Int, in history: StoreHistory) throws {
        let original = history.final.image
        let name = history.names[segment]
        let count = original.files[name]!.count
        let isNewest = segment == StoreHistory.segmentCount - 1
        // After the end that its successor records, a segment has only unused preallocated space or a torn tail.
        let end = isNewest ? count : Int(history.predecessor(of: segment + 1).endOffset)
        for offset in stride(from: 0, to: min(count, end + 500), by: Sweep.step) {
            let image = original.changed { $0[name]![offset] ^= UInt8(1 << (offset % 8)) }
            do {
                let store = try open(image).store
                #expect(try store.contents() == history.states[history.final.sequence], "\(name) at \(offset)")
                let isTorn = if case .torn = store.recoveryReport.tail { true } else { false }
                let isClosingMark = isNewest && offset >= count - 48
                #expect(isTorn == isClosingMark, "\(name) at \(offset)")
                #expect(isClosingMark || offset >= end, "\(name) at \(offset): a change went unnoticed")
            } catch let error as StoreError {
                #expect(error.code == .corruption && offset < end, "\(error)")
                #expect(error.file == "/store/" + name && error.offset != nil)
            }
        }
    }
}
