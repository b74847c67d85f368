internal import ArgumentParser
internal import Heartwood

/// A command that changes keys, or all keys of a range.
protocol KeyChangingCommand {
    var store: StoreArgument { get }
    var key: [String] { get }
    var bounds: RangeOptions { get }
    var keys: KeyOption { get }
    var yes: Bool { get }
    var dryRun: Bool { get }
    var json: Bool { get }
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

    /// Prints what a range had.
    ///
    /// - Parameter name: That of the count in JSON.
    func printResult(_ verb: String, _ name: String, _ count: Int, _ sequence: SequenceNumber? = nil) throws {
        var object: JSONText = [name: count]
        object.add(known: ["sequence": sequence])
        try StandardOutput.printLine(json ? object.string : "\(verb) \(Numbers.count(count, "key"))")
    }

    /// Prints what became of single keys if JSON is requested.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/notFound`` that names the missing ones.
    func report(
        _ verb: String, _ count: Int, missing: [String], _ sequence: SequenceNumber?, of what: String = "key"
    ) throws {
        if json {
            var object: JSONText = [verb: count, "missing": missing.count]
            object.add(known: ["sequence": sequence])
            try StandardOutput.printLine(object.string)
        }
        guard !missing.isEmpty else { return }
        let names = missing.map { "'\($0)'" }.joined(separator: ", ")
        throw Failure(.notFound, "no \(what) \(names) in \(store.path): \(Numbers.count(count, what)) \(verb)")
    }
}
