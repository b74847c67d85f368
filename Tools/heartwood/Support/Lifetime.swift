internal import ArgumentParser

/// A time to live, as in `--expires-in 15m`.
struct Lifetime: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let last = argument.last, let unit = units[last],
            let count = Int64(argument.dropLast()), count > 0
        else { return nil }
        // Limited to a thousand years, so that no sum overflows.
        let (seconds, overflow) = count.multipliedReportingOverflow(by: unit)
        duration = .seconds(overflow ? Self.longest : min(seconds, Self.longest))
    }

    private static let longest: Int64 = 1000 * 366 * 86_400
}
