internal import ArgumentParser
internal import Heartwood

struct DeleteCommand: AsyncParsableCommand, KeyChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete keys, or all keys of a range.",
        discussion: """
            All keys are deleted in one write: after a crash either all are deleted or none is. Exits with 1 if a key \
            doesn't exist; the others are still deleted.

            With '--prefix', '--from' and '--to', all keys of the range are deleted, which may be none. On a terminal \
            it asks first, and exits with 4 unless the answer is yes. Elsewhere it refuses without '--yes'. \
            '--dry-run' only counts. If the disk is full, a range of many keys is deleted in several writes.

              heartwood delete notes greeting
              heartwood delete notes session:17 session:18 session:19
              heartwood delete notes --prefix session: --dry-run
              heartwood delete notes --prefix session: --yes
            """
    )

    @OptionGroup var store: StoreArgument

    @Argument(help: ArgumentHelp("The keys. Or give a range.", valueName: "key"))
    var key: [String] = []

    @OptionGroup var bounds: RangeOptions
    @OptionGroup var keys: KeyOption

    @Flag(help: "Delete a range without asking.")
    var yes = false

    @Flag(help: "Only print how many keys of the range would be deleted.")
    var dryRun = false

    @OptionGroup var level: DurabilityOption

    @Flag(help: "Print how many keys were deleted and missing, and the sequence number, as a JSON object.")
    var json = false

    func validate() throws {
        try checkKeysOrRange()
        for key in key { _ = try keys.bytes(key) }
    }

    func run() async throws {
        if bounds.isGiven { try await deleteRange() } else { try await deleteKeys() }
    }

    // MARK: - A range

    private func deleteRange() async throws {
        try checkMayChange("deleted")
        let range = try bounds.range(keys)
        if dryRun {
            let count = try await store.withReadView { view in try view.scan(range).count() }
            return try printResult("would delete", "wouldDelete", count)
        }
        let (count, sequence) = try await store.withStore(configure: level.configure) { [path = store.path] store in
            guard try isAgreed(range, of: store.readView(), { "delete \($0) of \(path)?" }) else {
                throw Failure(.declined, "not confirmed: no key was deleted")
            }
            return try await remove(range, from: store)
        }
        try printResult("deleted", "deleted", count, sequence)
    }

    /// Deletes a range in one write. If the disk is full, and the store's reserve has no space for that write, in
    /// several smaller ones, with a compaction when the reserve is used up.
    ///
    /// - Returns: How many keys were deleted, and the number of the last write.
    private func remove(_ range: KeyRange, from store: Store) async throws -> (Int, SequenceNumber?) {
        var (count, last): (Int, SequenceNumber?) = (0, nil)
        var (limit, uncompacted): (Int?, Int) = (nil, 0)
        while true {
            do throws(StoreError) {
                let removal = try await store.remove(in: range, limit: limit, durability: level.durability.durability)
                count += removal.value
                uncompacted += removal.value
                if removal.value > 0 { last = removal.sequence }
                guard let limit, removal.value == limit else { return (count, last) }
            } catch {
                let wanted = limit ?? (try? store.scan(range).count()) ?? 0
                guard error.code == .outOfSpace, wanted > 1 || uncompacted > 0 else {
                    if count > 0 { StandardError.say("\(Numbers.count(count, "key")) deleted before this error") }
                    throw error
                }
                if limit == nil { StandardError.say("the disk is full: deleting the keys in several writes") }
                if uncompacted == 0 { limit = wanted / 2 } else { _ = try? await store.compact() }
                uncompacted = 0
            }
        }
    }

    // MARK: - Single keys

    private func deleteKeys() async throws {
        let wanted = try key.map(keys.bytes)
        let (count, missing, sequence) = try await store.withStore(configure: level.configure) { store in
            try await delete(wanted, from: store)
        }
        try report("deleted", count, missing: missing.map(keys.notation.string), sequence)
    }

    private func delete(
        _ wanted: [[UInt8]], from store: Store
    ) async throws -> (deleted: Int, missing: [[UInt8]], sequence: SequenceNumber?) {
        var missing: [[UInt8]] = []
        var batch = store.makeBatch()
        var seen: Set<[UInt8]> = []
        for key in wanted where seen.insert(key).inserted {
            if try store.contains(key) { batch.remove(key) } else { missing.append(key) }
        }
        if batch.isEmpty { return (0, missing, nil) }
        return (batch.count, missing, try await store.write(batch, durability: level.durability.durability))
    }
}
