import HeartwoodFileSystem
import HeartwoodFormat
import Testing

@testable import Heartwood

/// The files of a store as somebody left them, and what an opening has to say to that.
struct Misplacement: Sendable {
    enum Expectation: Sendable {
        /// Refused: the file and offset that the error names, the numbers that it calls lost, words of its message.
        case corruption(
            _ name: String, offset: UInt64 = 0, lost: ClosedRange<SequenceNumber>? = nil, _ words: String)
        /// Refused as of a newer version.
        case unsupported(_ name: String)
        /// It opens with exactly this.
        case opens(_ contents: [String: String], _ tail: StoreHistory.Tail)
    }

    /// What was done, for people.
    var what: String
    var image: FileImage
    /// Names that are directories.
    var directories: [String] = []
    var expectation: Expectation

    /// Opens it. A refusal must leave all as it was and let go of the lock; then `sound` is put back, and must open
    /// as itself.
    func judge(sound: StoreHistory.Moment, states: [SequenceNumber: [String: String]]) async throws {
        let fileSystem = try image.fileSystem()
        for name in directories { try fileSystem.createDirectory("/store/" + name) }
        let before = try FileImage(of: fileSystem, everything: true)
        let opened = Result { try open(fileSystem) }
        switch (opened, expectation) {
        case (.success(let store), .opens(let contents, let tail)):
            expectSound(store, contents, tail, of: image)
            #expect(try FileImage(of: fileSystem, everything: true).files == before.files, "\(what): bytes changed")
            try await expectGoesOn(store, contents, fileSystem)
            return
        case (.success(let store), _):
            Issue.record("\(what): opened, as \(store.recoveryReport), where it had to be refused")
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
        #expect((try? Self.contents(of: store)) == contents, "\(what): other data")
        switch (store.recoveryReport.tail, tail) {
        case (.new, .new), (.closed, .closed), (.unclosed, .unclosed): break
        case (.torn(let file, _, let bytes), .torn):
            #expect(bytes > 0 && (newest.map { file == "/store/" + $0 } == true), "\(what): \(file)")
        default: Issue.record("\(what): \(store.recoveryReport.tail), expected \(tail)")
        }
    }

    /// What opens is a store like any other: it takes writes, and opens again.
    private func expectGoesOn(
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
        #expect(try Self.contents(of: again) == expected, "\(what)")
        #expect(again.recoveryReport.tail == .closed, "\(what)")
    }

    static func contents(of store: Store) throws -> [String: String] {
        var contents: [String: String] = [:]
        try store.forEach { entry in
            contents[String(decoding: entry.key, as: UTF8.self)] = String(decoding: entry.value, as: UTF8.self)
            return .next
        }
        return contents
    }
}
