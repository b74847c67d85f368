internal import ArgumentParser
internal import Heartwood

struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete keys.",
        discussion: """
            All keys are deleted in one write: after a crash either all are deleted or none is. Exits with 1 if a key \
            doesn't exist; the others are still deleted.

              heartwood delete notes greeting
              heartwood delete notes session:17 session:18 session:19
            """
    )

    @OptionGroup var store: StoreArgument

    @Argument(help: ArgumentHelp("The keys.", valueName: "key"))
    var key: [String]

    @OptionGroup var keys: KeyOption
    @OptionGroup var level: DurabilityOption

    @Flag(help: "Print how many keys were deleted and missing, and the sequence number, as a JSON object.")
    var json = false

    func validate() throws {
        for key in key { _ = try keys.bytes(key) }
    }

    func run() async throws {
        let wanted = try key.map { try keys.bytes($0) }
        let report = try await store.withStore(configure: level.configure) { store in
            try await delete(wanted, from: store)
        }
        if json { try StandardOutput.printLine(report.json.string) }
        guard !report.missing.isEmpty else { return }
        let names = report.missing.map { "'\(keys.notation.string($0))'" }.joined(separator: ", ")
        throw Failure(
            .notFound, "no key \(names) in \(store.path): \(Numbers.count(report.deleted, "key")) deleted")
    }

    private func delete(_ wanted: [[UInt8]], from store: Store) async throws -> Report {
        var report = Report()
        var batch = store.makeBatch()
        var seen: Set<[UInt8]> = []
        for key in wanted where seen.insert(key).inserted {
            if try store.contains(key) {
                batch.remove(key)
            } else {
                report.missing.append(key)
            }
        }
        report.deleted = batch.count
        if !batch.isEmpty {
            report.sequence = try await store.write(batch, durability: level.durability.durability)
        }
        return report
    }

    /// The result.
    private struct Report {
        var deleted = 0
        var missing: [[UInt8]] = []
        var sequence: SequenceNumber?

        var json: JSONText {
            var json = JSONText()
            json.add("deleted", deleted)
            json.add("missing", missing.count)
            if let sequence { json.add("sequence", sequence) }
            return json
        }
    }
}
