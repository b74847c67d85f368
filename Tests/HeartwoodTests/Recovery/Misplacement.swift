import HeartwoodFileSystem
import HeartwoodFormat
import Testing

@testable import Heartwood

/// Files of a store that were changed from outside, and the required result of opening them.
struct Misplacement: Sendable {
    enum Expectation: Sendable {
        /// Refused: the file, offset and lost numbers that the error names, and words of its message.
        case corruption(
            _ name: String, offset: UInt64 = 0, lost: ClosedRange<SequenceNumber>? = nil, _ words: String)
        /// Refused as a newer version of the format.
        case unsupported(_ name: String)
        /// Opens with exactly these contents.
        case opens(_ contents: [String: String], _ tail: StoreHistory.Tail)
    }

    /// A description of the change, for messages.
    var what: String
    var image: FileImage
    /// Names of directories in the store.
    var directories: [String] = []
    var expectation: Expectation

    /// Opens it. A refusal must leave the files unchanged and release the lock; then `sound` is put back and must open.
    func judge(sound: StoreHistory.Moment, states: [SequenceNumber: [String: String]]) async throws {
        let fileSystem = try image.fileSystem()
        for name in directories { try fileSystem.createDirectory("/store/" + name) }
        let before = try FileImage(of: fileSystem, everything: true)
        let opened = Result { try open(fileSystem) }
        switch (opened, expectation) {
        case (.success(let store), .opens(let contents, let tail)):
            expectSound(store, contents, tail, of: image)
            #expect(try FileImage(of: fileSystem, everything: true).files == before.files, "\(what): bytes changed")
            try await expectUsable(store, contents, fileSystem)
            return
        case (.success(let store), _):
            Issue.record("\(what): opened with \(store.recoveryReport), but had to be refused")
            return
        case (.failure(let error as StoreError), .corruption(let name, let offset, let lost, let words)):
            #expect(error.code == .corruption, "\(what): \(error)")
            #expect(error.file == "/store/" + name && error.offset == offset, "\(what): \(error)")
            #expect(error.lostSequences == lost, "\(what): \(error), expected \(String(describing: lost))")
            #expect(error.message.contains(words), "\(what): \(error)")
        case (.failure(let error as StoreError), .unsupported(let name)):
            #expect(error.code == .unsupportedFormat && error.file == "/store/" + name, "\(what): \(error)")
        case (.failure(let error), _):
            Issue.record("\(what): \(error)")
            return
        }
        #expect(try FileImage(of: fileSystem, everything: true).files == before.files, "\(what): bytes changed")
        for name in directories { try fileSystem.remove("/store/" + name) }
        try sound.image.put(into: fileSystem)
        expectSound(try open(fileSystem), states[sound.sequence]!, sound.tail, of: sound.image)
    }

    private func open(_ fileSystem: any FileSystem) throws -> Store {
        try Store(openingAt: "/store", configuration: StoreHistory.configuration(fileSystem))
    }

    private func expectSound(
        _ store: Store, _ contents: [String: String], _ tail: StoreHistory.Tail, of image: FileImage
    ) {
        let newest = image.files.keys.filter { if case .log = StoreFileName($0) { true } else { false } }.max()
        #expect((try? store.contents()) == contents, "\(what): other data")
        switch (store.recoveryReport.tail, tail) {
        case (.new, .new), (.closed, .closed), (.unclosed, .unclosed): break
        case (.torn(let file, _, let bytes), .torn):
            #expect(bytes > 0 && (newest.map { file == "/store/" + $0 } == true), "\(what): \(file)")
        default: Issue.record("\(what): \(store.recoveryReport.tail), expected \(tail)")
        }
    }

    /// Expects that the store takes writes and opens again.
    private func expectUsable(
        _ store: Store, _ contents: [String: String], _ fileSystem: any FileSystem
    ) async throws {
        let sequence = try await store.put("after", "all")
        #expect(sequence > store.recoveryReport.lastSequence, "\(what)")
        try await store.close()
        let names = try fileSystem.contents(ofDirectory: "/store")
        #expect(!names.contains { $0.hasSuffix(".tmp") && !$0.hasPrefix("reserve-") }, "\(what): \(names)")
        let again = try open(fileSystem)
        var expected = contents
        expected["after"] = "all"
        #expect(try again.contents() == expected, "\(what)")
        #expect(again.recoveryReport.tail == .closed, "\(what)")
    }
}
