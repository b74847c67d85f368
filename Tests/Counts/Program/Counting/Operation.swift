/// One of the hot operations, and how to do it many times.
struct Operation {
    /// Does the operation that many times, each time with other keys than before where it writes; throws where the
    /// outcome isn't what it must be.
    typealias Work = (_ times: Int) async throws -> Void

    let name: String
    /// What it does, for those who read the list.
    let summary: String
    /// How often it is done in the first region that is counted; in the second it is done twice as often.
    let times: Int
    /// Makes what the operation works on. Nothing of it is counted.
    let prepare: (Preparation) async throws -> Work

    /// What all are counted, in the order of the table.
    static var all: [Operation] {
        FormatOperations.all + IndexOperations.all + WriteOperations.all + ReadOperations.all + OpeningOperations.all
    }
}

/// What an operation may know when it gets ready.
struct Preparation {
    /// How often it is done before anything is counted, so that all is bound and looked up that is so only once.
    static let warmUp = 48

    /// A directory of its own.
    let directory: String
    /// How often it will be done in the first region that is counted.
    let times: Int

    /// How often it will be done, one number for each time that it is called.
    var rounds: [Int] { [Self.warmUp, times, 2 * times] }
    /// How often all together.
    var total: Int { rounds.reduce(0, +) }
}

/// An operation's outcome wasn't what it must be.
struct WrongOutcome: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Throws unless the two are equal.
    static func unless<T: Equatable>(_ found: T, is wanted: T, _ what: String) throws {
        if found != wanted { throw WrongOutcome("\(what): \(found), and not \(wanted)") }
    }
}

/// This machine can't do an operation in the way that is counted.
struct LeftOut: Error {
    let reason: String
}
