internal import ArgumentParser

/// A time to live, as in `--expires-in 15m`.
struct Lifetime {
    let duration: Duration
    /// Whether the argument was longer than ``longestText``.
    let isCut: Bool

    /// - Throws: What is wrong with the argument.
    init(_ argument: String) throws {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        if Int64(argument) != nil {
            throw ValidationError("the unit is missing: write '\(argument)s', or m, h or d for minutes, hours or days")
        }
        guard let last = argument.last, let unit = units[last],
            let count = Int64(argument.dropLast()), count > 0
        else { throw ValidationError("a time is a number above 0 and s, m, h or d, such as '15m'") }
        let (seconds, overflow) = count.multipliedReportingOverflow(by: unit)
        isCut = overflow || seconds > Self.longest
        duration = .seconds(isCut ? Self.longest : seconds)
    }

    /// - Parameter remedy: What to give instead of a time that is too long.
    /// - Throws: Unless it can be the argument of `--expires-in`.
    func check(_ remedy: String) throws {
        if isCut { throw ValidationError("'--expires-in' is longer than \(Self.longestText), the longest: \(remedy)") }
    }

    /// A thousand years, so that no sum overflows.
    private static let longest: Int64 = 366_000 * 86_400
    private static let longestText = "366000d"
}
