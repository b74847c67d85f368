import Heartwood
import HeartwoodConcurrency
import HeartwoodFileSystem
import HeartwoodFormat

@testable import Heartwood

/// A store written over five openings, with its contents after each write and its files at each moment.
///
/// | segment | written by | ends with |
/// | --- | --- | --- |
/// | 0 | opening 1 | a rotation |
/// | 1 | opening 1 | a closing sync mark |
/// | 2 | opening 2, dense numbers | a sync mark, commits and a torn tail, left by a crash |
/// | 3 | opening 3, from 2^32 on | its header: a crash lost its only commit |
/// | 4 | opening 4, from 2^33 on | a closing sync mark |
/// | 5 | opening 5, dense numbers | see `Ending` |
struct StoreHistory: Sendable {
    /// How the last opening ended.
    enum Ending: CaseIterable { case closed, crashed, torn }

    /// How the log ended, without the file's name.
    enum Tail { case new, closed, unclosed, torn }

    /// The files at one moment, and the result of opening them.
    struct Moment: Sendable {
        var image: FileImage
        var sequence: SequenceNumber
        var tail: Tail
    }

    static let segmentCount = 6

    /// The contents after each write. Every history with the same ending has the same sequence numbers.
    private(set) var states: [SequenceNumber: [String: String]] = [0: [:]]
    private(set) var moments: [Moment] = []
    private var fileSystem = InMemoryFileSystem()
    private var writes = 0

    /// The files at the end.
    var final: Moment { moments.last! }
    /// The segments' names at the end, in order.
    var names: [String] { final.image.files.keys.sorted() }

    static func configuration(_ fileSystem: any FileSystem) -> Store.Configuration {
        var configuration = Store.Configuration(in: fileSystem, segmentBytes: 16 << 10, commitBufferBytes: 64 << 10)
        // The number of sync marks must not depend on the speed of the machine.
        configuration.timing.mark = .max
        return configuration
    }

    init(_ ending: Ending) async throws {
        try await write(7, end: .closed)
        try await write(4, end: .torn, marksAfter: 2)
        let last = moments.last!.sequence
        try await write(1, end: .crashed)
        try loseCommit(after: last)
        try await write(3, end: .closed)
        try await write(3, end: ending)
        precondition(names.count == Self.segmentCount, "\(names)")
    }

    /// The index of the newest segment of a moment.
    func newest(_ moment: Moment) -> Int { moment.image.files.count - 1 }

    /// The last moment at which a segment was the newest.
    func lastMoment(of segment: Int) -> Moment { moments.last { newest($0) == segment }! }

    /// What a segment's header records about the segment before it.
    func predecessor(of segment: Int) -> FileHeader.Predecessor {
        final.image.files[names[segment]]!.withUnsafeBytes { try? FileHeader.decode($0) }!.predecessor!
    }

    // MARK: - Writing

    private mutating func write(_ count: Int, end: Ending, marksAfter: Int? = nil) async throws {
        var configuration = Self.configuration(fileSystem)
        if marksAfter != nil {
            configuration.timing.mark = 1_000_000
            configuration.segmentBytes = 64 << 10
        }
        let store = try Store(openingAt: "/store", configuration: configuration)
        for number in 0..<count {
            try await writeOne(store)
            if number + 1 == marksAfter {
                while store.log.withState({ $0.counters.marks == 0 }) { await Task.yield() }
                try note(.unclosed)
            }
        }
        if end == .closed {
            try await store.close()
            try note(.closed)
            return
        }
        // A crash: the present files continue in another file system.
        var image = moments.last!.image
        if end == .torn {
            image.tearNewest()
            moments.append(Moment(image: image, sequence: moments.last!.sequence, tail: .torn))
        }
        fileSystem = try image.fileSystem()
    }

    private mutating func writeOne(_ store: Store) async throws {
        writes += 1
        let (number, text) = (writes, String(repeating: "\(writes).", count: 300))
        var state = states[moments.last?.sequence ?? 0]!
        let sequence: SequenceNumber
        switch number % 3 {
        case 0:
            sequence = try await store.write { batch in
                batch.put("b", text)
                batch.remove("k\(number - 2)")
            }
            state["b"] = text
            state["k\(number - 2)"] = nil
        case 1:
            sequence = try await store.put("k\(number)", text)
            state["k\(number)"] = text
        default:
            sequence = try await store.put("again", text)
            state["again"] = text
        }
        states[sequence] = state
        try note(.unclosed, sequence: sequence)
    }

    private mutating func note(_ tail: Tail, sequence: SequenceNumber? = nil) throws {
        moments.append(
            Moment(
                image: try FileImage(of: fileSystem), sequence: sequence ?? moments.last!.sequence, tail: tail))
    }

    /// The newest segment loses its only commit, as in a crash.
    private mutating func loseCommit(after sequence: SequenceNumber) throws {
        var image = moments.removeLast().image
        image.files[image.files.keys.max()!]!.removeLast(image.files[image.files.keys.max()!]!.count - 4096)
        moments.append(Moment(image: image, sequence: sequence, tail: .unclosed))
        fileSystem = try image.fileSystem()
    }
}

extension FileImage {
    /// A copy with changed files.
    func changed(_ change: (inout [String: [UInt8]]) -> Void) -> FileImage {
        var image = self
        change(&image.files)
        return image
    }

    /// The end of the last commit of a segment: after the last byte that isn't zero, rounded up to a multiple of 8.
    func end(of name: String) -> Int { ((files[name]!.lastIndex { $0 != 0 } ?? -1) + 8) & ~7 }

    /// Writes bytes that are no commit after the newest segment's last one.
    fileprivate mutating func tearNewest() {
        let name = files.keys.max()!
        let end = end(of: name)
        for offset in end..<(end + 100) {
            if offset < files[name]!.count { files[name]![offset] = 0xAB } else { files[name]!.append(0xAB) }
        }
    }
}
