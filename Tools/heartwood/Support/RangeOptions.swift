internal import ArgumentParser
internal import Heartwood

/// The options `--prefix`, `--from` and `--to`. If several are given, a key must satisfy all of them.
struct RangeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only keys that begin with this.", valueName: "text"))
    var prefix: String?

    @Option(help: ArgumentHelp("Only keys from this one on.", valueName: "key"))
    var from: String?

    @Option(help: ArgumentHelp("Only keys before this one.", valueName: "key"))
    var to: String?

    /// Whether an option was given.
    var isGiven: Bool { prefix != nil || from != nil || to != nil }

    /// The range; `KeyRange.all` if it excludes no key.
    ///
    /// - Parameter keys: How the bytes of the options are given.
    /// - Throws: `ValidationError` if they can't be decoded.
    func range(_ keys: KeyOption) throws -> KeyRange {
        var lower: [UInt8] = []
        var upper: [UInt8]?
        if let prefix = try prefix.map(keys.boundary) {
            lower = prefix
            if case .excluded(let end) = KeyRange.prefix(prefix).upper { upper = end }
        }
        if let from = try from.map(keys.boundary), lower.lexicographicallyPrecedes(from) { lower = from }
        if let to = try to.map(keys.boundary), upper.map({ to.lexicographicallyPrecedes($0) }) ?? true { upper = to }
        guard let upper else { return lower.isEmpty ? .all : .from(lower) }
        return lower.isEmpty ? .upTo(upper) : .range(from: lower, to: upper)
    }
}

/// The option `--limit`.
struct LimitOption: ParsableArguments {
    @Option(help: ArgumentHelp("Stop after this many entries.", valueName: "count"))
    var limit: Int?

    /// How many entries are printed at most.
    var most: Int { limit ?? .max }

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("'--limit \(limit)' shows nothing: give 1 or more") }
    }
}
