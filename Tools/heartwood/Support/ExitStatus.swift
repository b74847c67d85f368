internal import Heartwood

/// The exit codes, the same for every command. Scripts rely on them: a code never changes its meaning.
enum ExitStatus: Int32, CaseIterable {
    case done = 0
    case notFound = 1
    case corruption = 2
    case mismatch = 3
    case declined = 4
    case usage = 64
    case badData = 65
    case noInput = 66
    case defect = 70
    case noStore = 73
    case inputOutput = 74
    case tryLater = 75
    case unsupported = 76
    case permission = 77
    case interrupted = 130
    case terminated = 143

    /// What `heartwood --help` says about the code.
    var explanation: String {
        switch self {
        case .done: "done"
        case .notFound:
            "not found; or 'put --if-absent' found the key; or 'watch' can't continue from the position; or a torn "
                + "tail was found, or not all could be repaired"
        case .corruption: "the store is damaged, and the command can't continue"
        case .mismatch: "what 'bench' read back is not what it had written"
        case .declined: "the question was not answered with yes, and nothing was changed"
        case .usage: "the command was not understood"
        case .badData:
            "bad input data (a line is named by its number), or a value that isn't text where text was requested"
        case .noInput: "the input file is missing or can't be opened"
        case .defect: "a defect of heartwood itself; please report it"
        case .noStore: "there is no such store or directory, or the path is one at which it can't be created"
        case .inputOutput: "input or output failed, or the disk is full"
        case .tryLater:
            "try later: another process has the store open, or this one may not have enough memory, threads or open "
                + "files"
        case .unsupported: "the store was written by a newer version of heartwood"
        case .permission: "permission denied, or the disk is mounted read-only"
        case .interrupted:
            "stopped by SIGINT: 'load' has loaded what it had read, 'compact' has lost nothing, 'bench' has printed "
                + "what it had measured, 'watch' its position, and other commands that only read have ended at once"
        case .terminated: "stopped by SIGTERM: the same"
        }
    }

    /// The table of the help, one line for each code.
    static var table: String {
        allCases
            .map { status in
                let code = String(status.rawValue)
                return "  " + String(repeating: " ", count: max(0, 3 - code.count)) + code + "  " + status.explanation
            }
            .joined(separator: "\n")
    }

    /// The exit code for an error of a store.
    init(_ code: StoreError.Code) {
        self =
            switch code {
            case .invalidArgument: .usage
            case .tooLarge: .badData
            case .notFound: .noStore
            case .positionUnavailable: .notFound
            case .locked, .tooManyFiles, .conflict, .cancelled: .tryLater
            case .permission: .permission
            case .outOfSpace, .inputOutput, .failed, .outcomeUnknown: .inputOutput
            case .corruption, .tornTail: .corruption
            case .unsupportedFormat: .unsupported
            default: .defect
            }
    }
}
