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

/// A command that changes keys, or all keys of a range.
protocol KeyChangingCommand {
    var store: StoreArgument { get }
    var key: [String] { get }
    var bounds: RangeOptions { get }
    var keys: KeyOption { get }
    var yes: Bool { get }
    var dryRun: Bool { get }
}

extension KeyChangingCommand {
    func checkKeysOrRange() throws {
        if key.isEmpty && !bounds.isGiven { throw ValidationError("no key: give keys, or a range as '--prefix'") }
        if !key.isEmpty && bounds.isGiven { throw ValidationError("keys and a range at once: leave one out") }
        if !key.isEmpty && (yes || dryRun) { throw ValidationError("'--yes' and '--dry-run' are for ranges") }
        if bounds.isGiven, try bounds.range(keys) == .all {
            // As from a variable that is empty by mistake.
            throw ValidationError("an empty bound means every key: if that is what you want, give '--hex --from 00'")
        }
    }

    /// - Throws: ``Failure`` with ``ExitStatus/usage`` if the range would be changed unasked.
    func checkMayChange(_ changed: String) throws {
        guard !yes && !dryRun && !Question.canAsk else { return }
        throw Failure(
            .usage,
            "a range is \(changed) only with '--yes', because there is no terminal to ask on: "
                + "see how many keys it has with '--dry-run'")
    }

    /// Whether the user agrees, if there is something to ask.
    ///
    /// - Parameter question: Of the keys, as text.
    func isAgreed(_ range: KeyRange, of view: ReadView, _ question: (_ keys: String) -> String) throws -> Bool {
        guard !yes, case let count = try view.scan(range).count(), count > 0 else { return true }
        return Question.isAgreed(question(Numbers.count(count, "key")))
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
