import HeartwoodRepository
import HeartwoodTesting

/// The model of random transactions. There are few ids and values, so that most transactions meet others.
struct Piece: Codable, Identifiable, Sendable, Equatable {
    var id: Int
    var group: Int
    var code: String?
    var tags: [Int]
    var count = 0

    static let indexed = RepositoryDefinition<Piece>(
        "pieces",
        indexes: [
            Index("group", \.group), .unique("code", \.code), Index("tag", .each(\.tags)),
            Index("group-count", \.group, \.count),
        ])
    static let plain = RepositoryDefinition<Piece>("plain")

    init(_ random: inout SeededRandom) {
        (id, group) = (random.below(6), random.below(3))
        code = random.oneIn(3) ? nil : random.pick(["a", "b", "c", "d", "e"])
        tags = [0, 1, 2].filter { _ in random.oneIn(2) }
    }
}

/// What a transaction asks for.
enum PieceQuery: Sendable {
    case all, group(Int), groups(from: Int), code(String), codes, tag(Int), counted(Int)

    init(_ random: inout SeededRandom) {
        switch random.below(8) {
        case 0: self = .all
        case 1: self = .group(random.below(3))
        case 2: self = .groups(from: random.below(3))
        case 3...4: self = .code(random.pick(["a", "b", "c"]))
        case 5: self = .codes
        case 6: self = .tag(random.below(3))
        default: self = .counted(random.below(2))
        }
    }

    var query: Query<Piece> {
        switch self {
        case .all: Query()
        case .group(let group): Query(where: \.group == group)
        case .groups(let first): Query(where: \.group >= first)
        case .code(let code): Query(where: \.code == code)
        case .codes: Query(where: \.code >= "")
        case .tag(let tag): Query(where: .contains(\.tags, tag))
        case .counted(let group): Query(where: \.group == group && \.count >= 1)
        }
    }

    func passes(_ piece: Piece) -> Bool {
        switch self {
        case .all: true
        case .group(let group): piece.group == group
        case .groups(let first): piece.group >= first
        case .code(let code): piece.code == code
        case .codes: piece.code != nil
        case .tag(let tag): piece.tags.contains(tag)
        case .counted(let group): piece.group == group && piece.count >= 1
        }
    }
}

/// One call of a transaction's body.
struct PieceStep: Sendable {
    enum Kind: Sendable {
        case save([Piece], seconds: UInt64?)
        /// `isCaught`: the body goes on when there is a record.
        case insert([Piece], isCaught: Bool)
        case update(Int, group: Int, code: String?)
        case increment(Int)
        case delete([Int])
        case find(Int)
        case fetch(PieceQuery)
        case count(PieceQuery)
        case put(UInt8, UInt8)
        case remove(UInt8)
        case key(UInt8)
        case keys
        case pause(Int)
        /// The body throws an error of its own.
        case stop
    }

    var repository: Int
    var kind: Kind

    static func write(_ random: inout SeededRandom) -> PieceStep {
        PieceStep(repository: random.below(2), kind: .save(pieces(&random), seconds: nil))
    }

    static func program(_ random: inout SeededRandom, expires: Bool) -> [PieceStep] {
        (0..<random.number(in: 1...8)).map { _ in
            PieceStep(repository: random.oneIn(4) ? 1 : 0, kind: kind(&random, expires: expires))
        }
    }

    private static func pieces(_ random: inout SeededRandom) -> [Piece] {
        var pieces: [Piece] = []
        for _ in 0..<random.number(in: 1...2) {
            let piece = Piece(&random)
            if !pieces.contains(where: { $0.id == piece.id }) { pieces.append(piece) }
        }
        return pieces
    }

    private static func kind(_ random: inout SeededRandom, expires: Bool) -> Kind {
        switch random.below(20) {
        case 0...3: .insert(pieces(&random), isCaught: random.oneIn(2))
        case 4...6: .save(pieces(&random), seconds: expires && random.oneIn(2) ? UInt64(random.number(in: 1...6)) : nil)
        case 7: .update(random.below(6), group: random.below(3), code: random.pick(["a", "b", "c", nil]))
        case 8: .increment(random.below(6))
        case 9...10: .delete((0..<random.number(in: 1...2)).map { _ in random.below(6) })
        case 11: .find(random.below(6))
        case 12...14: .fetch(PieceQuery(&random))
        case 15: .count(PieceQuery(&random))
        case 16:
            random.oneIn(2) ? .put(UInt8(random.below(3)), UInt8(random.below(9))) : .remove(UInt8(random.below(3)))
        case 17: random.oneIn(2) ? .key(UInt8(random.below(3))) : .keys
        case 18: .pause(random.below(20))
        default: random.oneIn(3) ? .stop : .pause(1)
        }
    }

    /// Whether it reads, and says what.
    var isRead: Bool {
        switch kind {
        case .update, .increment, .find, .fetch, .count, .key, .keys: true
        case .save, .insert, .delete, .put, .remove, .pause, .stop: false
        }
    }

    /// Makes the call, and returns what it has seen.
    func perform(_ pieces: Repository<Piece>, _ transaction: Transaction) async throws -> String {
        switch kind {
        case .save(let saved, let seconds):
            let expires = seconds.map { Expiry.after(.seconds(Int64($0))) } ?? .never
            try await pieces.save(saved, expires: expires, in: transaction)
            return "saved"
        case .insert(let inserted, let isCaught):
            do throws(StoreError) {
                try await pieces.insert(inserted, in: transaction)
            } catch {
                guard error.code == .alreadyExists && isCaught else { throw error }
                return "exists"
            }
            return "inserted"
        case .update(let id, let group, let code):
            let seen = try await pieces.update(id, in: transaction) { piece in
                defer { (piece.group, piece.code) = (group, code) }
                return piece
            }
            return "\(seen, default: "none")"
        case .increment(let id):
            return "\(try await pieces.increment(\.count, of: id, in: transaction), default: "none")"
        case .delete(let ids):
            try await pieces.delete(ids, in: transaction)
            return "deleted"
        case .find(let id): return "\(try await pieces.find(by: id, in: transaction), default: "none")"
        case .fetch(let query): return "\(try await pieces.fetch(query.query, in: transaction))"
        case .count(let query): return "\(try await pieces.count(query.query, in: transaction))"
        case .put(let key, let value):
            try transaction.put([key], [value])
            return "put"
        case .remove(let key):
            try transaction.remove([key])
            return "removed"
        case .key(let key): return "\(try await transaction.fetchEntry([key])?.value, default: "none")"
        case .keys:
            let range = KeyRange(lower: .unbounded, upper: .excluded([9]))
            let page = try await transaction.fetchEntries(in: range, reversed: false, limit: 9)
            return "\(page.entries.map { $0.key + $0.value }) \(try await transaction.fetchCount(in: range))"
        case .pause(let times):
            for _ in 0..<times { await Task.yield() }
            return "paused"
        case .stop: return ""
        }
    }
}

/// The same on dictionaries.
struct PieceWorld: Sendable {
    /// Of a step: what it returns, or the error.
    struct Outcome: Sendable {
        var result: String?
        var error: String?
    }

    private struct Record: Sendable {
        var piece: Piece
        var expires: UInt64?
    }

    private var records: [[Int: Record]] = [[:], [:]]
    private var keys: [UInt8: UInt8] = [:]
    /// What was written since the start of a transaction.
    private var written: [Set<Int>] = [[], []]
    private var writtenKeys: Set<UInt8> = []

    func pieces(_ repository: Int) -> [Piece] {
        records[repository].values.map(\.piece).sorted { $0.id < $1.id }
    }

    mutating func expire(now: UInt64) {
        for repository in records.indices {
            records[repository] = records[repository].filter { $0.value.expires.map { now < $0 } ?? true }
        }
    }

    /// The error of a commit.
    var violation: String? {
        let codes = records[0].values.compactMap(\.piece.code)
        return Set(codes).count < codes.count ? "uniqueViolation" : nil
    }

    /// Whether a step reads one record or key that was written since the start.
    func isWritten(_ step: PieceStep) -> Bool {
        switch step.kind {
        case .update(let id, _, _), .increment(let id), .find(let id): written[step.repository].contains(id)
        case .key(let key): writtenKeys.contains(key)
        default: false
        }
    }

    /// A whole transaction.
    mutating func run(_ program: [PieceStep], now: UInt64) -> (results: [String], error: String?) {
        var results: [String] = []
        expire(now: now)
        defer { (written, writtenKeys) = ([[], []], []) }
        for step in program {
            let outcome = perform(step, now: now)
            guard let result = outcome.result else { return (results, outcome.error) }
            results.append(result)
        }
        return (results, violation)
    }

    mutating func perform(_ step: PieceStep, now: UInt64) -> Outcome {
        let repository = step.repository
        switch step.kind {
        case .save(let pieces, let seconds):
            for piece in pieces { set(piece, repository, expires: seconds.map { now + $0 * 1_000 }) }
            return Outcome(result: "saved")
        case .insert(let pieces, let isCaught):
            if pieces.contains(where: { records[repository][$0.id] != nil }) {
                return isCaught ? Outcome(result: "exists") : Outcome(error: "alreadyExists")
            }
            for piece in pieces { set(piece, repository, expires: nil) }
            return Outcome(result: "inserted")
        case .update(let id, let group, let code):
            guard let old = records[repository][id] else { return Outcome(result: "none") }
            var piece = old.piece
            (piece.group, piece.code) = (group, code)
            set(piece, repository, expires: old.expires)
            return Outcome(result: "\(old.piece)")
        case .increment(let id):
            guard let old = records[repository][id] else { return Outcome(result: "none") }
            var piece = old.piece
            piece.count += 1
            set(piece, repository, expires: old.expires)
            return Outcome(result: "\(piece.count)")
        case .delete(let ids):
            for id in ids {
                records[repository][id] = nil
                written[repository].insert(id)
            }
            return Outcome(result: "deleted")
        case .find(let id): return Outcome(result: "\(records[repository][id]?.piece, default: "none")")
        case .fetch(let query): return Outcome(result: "\(pieces(repository).filter(query.passes))")
        case .count(let query): return Outcome(result: "\(pieces(repository).count(where: query.passes))")
        case .put(let key, let value):
            keys[key] = value
            writtenKeys.insert(key)
            return Outcome(result: "put")
        case .remove(let key):
            keys[key] = nil
            writtenKeys.insert(key)
            return Outcome(result: "removed")
        case .key(let key): return Outcome(result: "\(keys[key].map { [$0] }, default: "none")")
        case .keys:
            return Outcome(result: "\(keys.sorted { $0.key < $1.key }.map { [$0.key, $0.value] }) \(keys.count)")
        case .pause: return Outcome(result: "paused")
        case .stop: return Outcome(error: "stop")
        }
    }

    /// An insert that takes no notice of what is there.
    mutating func force(_ step: PieceStep, now: UInt64) {
        guard case .insert(let pieces, _) = step.kind else { return }
        for piece in pieces { set(piece, step.repository, expires: nil) }
    }

    private mutating func set(_ piece: Piece, _ repository: Int, expires: UInt64?) {
        records[repository][piece.id] = Record(piece: piece, expires: expires)
        written[repository].insert(piece.id)
    }
}
