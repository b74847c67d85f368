import Heartwood
import HeartwoodFileSystem
import HeartwoodFormat

@testable import Heartwood

/// A store that was written over five openings, with what it held after each write and its files at each moment.
///
/// | segment | written by | ends with |
/// | --- | --- | --- |
/// | 0 | opening 1 | a turn to the next segment |
/// | 1 | opening 1 | a closing mark |
/// | 2 | opening 2, dense numbers | a mark, commits, and then a torn tail: a crash |
/// | 3 | opening 3, from 2^32 on | its header: a crash took its only commit |
/// | 4 | opening 4, from 2^33 on | a closing mark |
/// | 5 | opening 5, dense numbers | as `Ending` says |
struct StoreHistory: Sendable {
    /// How the last opening ended.
    enum Ending: CaseIterable { case closed, crashed, torn }

    /// How the log ended, as far as it doesn't name a file.
    enum Tail { case new, closed, unclosed, torn }

    /// The files at one moment, and what opening them gives.
    struct Moment: Sendable {
        var image: FileImage
        var sequence: SequenceNumber
        var tail: Tail
    }

    static let segmentCount = 6

    /// What the store holds after each write; numbers are the same in every history of the same ending.
    private(set) var states: [SequenceNumber: [String: String]] = [0: [:]]
    private(set) var moments: [Moment] = []
    private var fileSystem = InMemoryFileSystem()
    private var writes = 0

    /// The files in the end.
    var final: Moment { moments.last! }
    /// The segments' names in the end, in order.
    var names: [String] { final.image.files.keys.sorted() }

    static func configuration(_ fileSystem: any FileSystem) -> Store.Configuration {
        var configuration = Store.Configuration()
        configuration.fileSystem = fileSystem
        configuration.segmentBytes = 16 << 10
        configuration.commitBufferBytes = 64 << 10
        // How fast the machine is must not decide how many marks there are.
        configuration.timing.mark = .max
        return configuration
    }

    init(_ ending: Ending) async throws {
        try await write(7, end: .closed)
        try await write(4, end: .torn, marksAfter: 2)
        let held = moments.last!.sequence
        try await write(1, end: .crashed)
        try loseCommit(holding: held)
        try await write(3, end: .closed)
        try await write(3, end: ending)
        precondition(names.count == Self.segmentCount, "\(names)")
    }

    /// The position of the newest segment of a moment.
    func newest(_ moment: Moment) -> Int { moment.image.files.count - 1 }

    /// The last moment at which a segment was the newest.
    func lastMoment(of segment: Int) -> Moment { moments.last { newest($0) == segment }! }

    /// What a segment's header says of the one before it.
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
        // A crash: the files as they are go on in another file system.
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

    /// The newest segment loses what it has, as a commit that the crash overtook.
    private mutating func loseCommit(holding sequence: SequenceNumber) throws {
        var image = moments.removeLast().image
        image.files[image.files.keys.max()!]!.removeLast(image.files[image.files.keys.max()!]!.count - 4096)
        moments.append(Moment(image: image, sequence: sequence, tail: .unclosed))
        fileSystem = try image.fileSystem()
    }
}

extension FileImage {
    /// Where the last byte of a segment that isn't zero ends, as an end of a commit.
    func end(of name: String) -> Int { ((files[name]!.lastIndex { $0 != 0 } ?? -1) + 8) & ~7 }

    /// Puts bytes that are no commit behind the newest segment's last one.
    fileprivate mutating func tearNewest() {
        let name = files.keys.max()!
        let end = end(of: name)
        for offset in end..<(end + 100) {
            if offset < files[name]!.count { files[name]![offset] = 0xAB } else { files[name]!.append(0xAB) }
        }
    }
}
