/// One of the hot operations, and how to repeat it.
struct Operation {
    /// Repeats the operation, with new keys each time if it writes. Throws if the outcome is wrong.
    typealias Work = (_ times: Int) async throws -> Void

    let name: String
    /// A description for the list.
    let summary: String
    /// The number of repetitions in the first counted region; the second has twice as many.
    let times: Int
    /// Makes the data of the operation. This is not counted.
    let prepare: (Preparation) async throws -> Work

    /// All operations, in the order of the table.
    static var all: [Operation] {
        FormatOperations.all + IndexOperations.all + WriteOperations.all + ReadOperations.all + OpeningOperations.all
            + RepositoryOperations.all
    }
}

/// The parameters for preparing an operation.
struct Preparation {
    /// The number of repetitions before anything is counted, so that one-time binding and look-ups are done.
    static let warmUp = 48

    /// A directory for this operation only.
    let directory: String
    /// The number of repetitions in the first counted region.
    let times: Int

    /// The numbers of repetitions, one for each call.
    var rounds: [Int] { [Self.warmUp, times, 2 * times] }
    /// The sum of all repetitions.
    var total: Int { rounds.reduce(0, +) }
}

/// The outcome of an operation is wrong.
struct WrongOutcome: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Throws unless the two are equal.
    static func unless<T: Equatable>(_ found: T, is wanted: T, _ what: String) throws {
        if found != wanted { throw WrongOutcome("\(what): \(found), not \(wanted)") }
    }
}

/// An operation can't run on this machine in the way that is counted.
struct LeftOut: Error {
    let reason: String
}
