import HeartwoodConcurrency
import HeartwoodFileSystem
import HeartwoodFormat
import Testing

@testable import Heartwood

/// Opening stores whose files are truncated or changed, byte by byte.
@Suite struct CutAndFlipTests {
    let directory = TemporaryDirectory()

    private var configuration: Store.Configuration { StoreHistory.configuration(POSIXFileSystem()) }

    /// The whole contents of a store after the write of each sequence number.
    private typealias States = [SequenceNumber: [String: String]]

    /// Makes each write a commit of its own, and notes the state after it.
    private func fill(_ store: Store, writes: Range<Int>, states: inout States) async throws {
        var state = states[states.keys.max() ?? 0] ?? [:]
        for number in writes {
            let sequence: SequenceNumber
            switch number % 4 {
            case 0:
                sequence = try await store.put("k\(number % 7)", "v\(number)")
                state["k\(number % 7)"] = "v\(number)"
            case 1:
                sequence = try await store.remove("k\((number + 2) % 7)")
                state["k\((number + 2) % 7)"] = nil
            case 2:
                sequence = try await store.write { batch in
                    batch.put("b\(number % 3)", "one\(number)")
                    batch.put("c\(number % 3)", "two\(number)")
                    batch.remove("k0")
                }
                state["b\(number % 3)"] = "one\(number)"
                state["c\(number % 3)"] = "two\(number)"
                state["k0"] = nil
            default:
                sequence = try await store.put(
                    "e\(number % 5)", "", expires: .at(Timestamp(milliseconds: 9_000_000_000_000)))
                state["e\(number % 5)"] = ""
            }
            states[sequence] = state
        }
    }

    private func makeUnclosedStore() async throws -> (path: String, states: States) {
        let path = directory.path("original")
        var states: States = [0: [:]]
        let store = try await Store.open(at: path, configuration: configuration)
        try await fill(store, writes: 0..<24, states: &states)
        return (path, states)
    }

    /// Opens an image in memory.
    private func open(_ image: FileImage) throws -> (store: Store, configuration: Store.Configuration) {
        let configuration = StoreHistory.configuration(try image.fileSystem())
        return (try Store(openingAt: "/store", configuration: configuration), configuration)
    }

    @Test func aLogTruncatedToAnyLengthKeepsTheWholeCommits() async throws {
        let (path, states) = try await makeUnclosedStore()
        let original = try FileImage(ofStore: path)
        let name = original.files.keys.sorted().last!
        let bytes = original.files[name]!
        let used = bytes.lastIndex { $0 != 0 }! + 1
        var lastSequence: SequenceNumber = 0
        for length in stride(from: used + 8, through: 4096, by: -Sweep.step) {
            var (store, configuration) = try open(original.changed { $0[name] = Array(bytes[..<length]) })
            let recovered = store.recoveryReport.lastSequence
            #expect(try store.contents() == states[recovered], "truncated to \(length)")
            #expect(lastSequence == 0 || recovered == lastSequence || recovered == lastSequence - 1)
            lastSequence = recovered
            let sequence = try await store.put("after", "1")
            #expect(sequence > states.keys.max()!)
            try await store.close()
            store = try Store(openingAt: "/store", configuration: configuration)
            var expected = states[recovered]!
            expected["after"] = "1"
            #expect(try store.contents() == expected)
        }
        #expect(lastSequence == 0)
        for length in [0, 1, 100, 4095] {
            let damaged = original.changed { $0[name] = Array(bytes[..<length]) }
            await expectError(.corruption) { _ = try open(damaged) }
        }
    }

    @Test func aChangedByteIsNeverAWrongValueOrASilentLoss() async throws {
        let path = directory.path("original")
        var states: States = [0: [:]]
        // Two segments, each closed; the second with a sync mark between its commits.
        for opening in 0..<2 {
            var configuration = configuration
            if opening == 1 { configuration.timing.mark = 10_000_000 }
            let store = try await Store.open(at: path, configuration: configuration)
            try await fill(store, writes: (opening * 9)..<(opening * 9 + 9), states: &states)
            if opening == 1 {
                while store.log.withState({ $0.counters.marks == 0 }) { await Task.yield() }
                try await fill(store, writes: 100..<104, states: &states)
            }
            try await store.close()
        }
        let whole = states[states.keys.max()!]!
        let original = try FileImage(ofStore: path)
        let newest = original.files.keys.sorted().last!
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in original.files.keys {
                group.addTask { try changeEachByte(of: name, in: original, newest: newest, whole: whole) }
            }
            try await group.waitForAll()
        }
    }

    private func changeEachByte(
        of name: String, in original: FileImage, newest: String, whole: [String: String]
    ) throws {
        let bytes = original.files[name]!
        // After the end that its successor records, a segment has only unused preallocated space.
        let successor = try original.files[newest]!.withUnsafeBytes { try FileHeader.decode($0) }.predecessor!
        let end = name == newest ? bytes.count : Int(successor.endOffset)
        for offset in stride(from: 0, to: bytes.count, by: Sweep.step) {
            let image = original.changed { $0[name]![offset] ^= UInt8(1 << (offset % 8)) }
            do {
                let store = try open(image).store
                #expect(try store.contents() == whole, "\(name) at \(offset)")
                let isTorn = if case .torn = store.recoveryReport.tail { true } else { false }
                let isClosingMark = name == newest && offset >= bytes.count - 48
                #expect(isTorn == isClosingMark, "\(name) at \(offset)")
                #expect(isClosingMark || offset >= end, "\(name) at \(offset): a change went unnoticed")
            } catch let error as StoreError {
                #expect(error.code == .corruption && offset < end, "\(error)")
                #expect(error.file == "/store/" + name && error.offset != nil)
            }
        }
    }
}
