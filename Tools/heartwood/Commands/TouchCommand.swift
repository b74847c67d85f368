internal import ArgumentParser
internal import Heartwood
internal import HeartwoodRepository

struct TouchCommand: AsyncParsableCommand, KeyChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "touch",
        abstract: "Change when keys expire, and keep their values.",
        discussion: """
            Give one of '--expires-in', '--expires-at' and '--never'. The value is read and written again in one step: \
            if it changes meanwhile, the new value is kept. All keys are changed in one write. Exits with 1 if a key \
            doesn't exist; the others are still changed.

            With '--prefix', '--from' and '--to', all keys of the range are changed, in many writes if they are large. \
            On a terminal it asks first. Elsewhere it refuses without '--yes'. '--dry-run' only counts.

            Keys of repositories are refused, because a record and its index entries expire together: with '--model' \
            the keys are ids, and the index entries are changed with the records.

              heartwood touch notes session:17 --expires-in 30m
              heartwood touch notes session:17 session:18 --never
              heartwood touch notes --prefix session: --expires-at 2027-01-01 --yes
              heartwood touch app --model users ada --expires-in 7d
            """
    )

    @OptionGroup var store: StoreArgument

    @Argument(help: ArgumentHelp("The keys; with '--model' the ids. Or give a range.", valueName: "key"))
    var key: [String] = []

    @Option(
        help: ArgumentHelp("Expire after this time from now: a number and s, m, h or d.", valueName: "time"),
        transform: Lifetime.init)
    var expiresIn: Lifetime?

    @Option(
        help: ArgumentHelp(
            "Expire at this time: 2027-01-01T12:00:00Z, 2027-01-01 (UTC), or milliseconds since 1970.",
            valueName: "time"))
    var expiresAt: Moment?

    @Flag(help: "Never expire.")
    var never = false

    @OptionGroup var bounds: RangeOptions
    @OptionGroup var keys: KeyOption
    @OptionGroup var repository: ModelOption

    @Flag(help: "Change a range without asking.")
    var yes = false

    @Flag(help: "Only print how many keys the range has.")
    var dryRun = false

    @OptionGroup var level: DurabilityOption

    @Flag(help: "Print how many keys were changed and missing, and the sequence number, as a JSON object.")
    var json = false

    private var expires: Expiry {
        expiresIn.map { .after($0.duration) } ?? expiresAt.map { .at(Timestamp(milliseconds: $0.milliseconds)) }
            ?? .never
    }

    func validate() throws {
        try checkKeysOrRange()
        guard [expiresIn != nil, expiresAt != nil, never].count(where: \.self) == 1 else {
            throw ValidationError("give one of '--expires-in', '--expires-at' and '--never'")
        }
        try expiresIn?.check("give '--never'")
        if let expiresAt, expiresAt.milliseconds <= SystemClock().now().milliseconds {
            throw ValidationError("'--expires-at' is a time in the past: 'heartwood delete' removes keys")
        }
        try repository.check(keys, bounds)
        if repository.model == nil { for key in key { _ = try keys.bytes(key) } }
    }

    func run() async throws {
        if bounds.isGiven { try await touchRange() } else { try await touchKeys() }
    }

    /// What became of some keys.
    private struct Outcome: Sendable {
        var touched = 0
        var missing: [String] = []
        /// The number of the last write; nil if every key expired as requested before.
        var sequence: SequenceNumber?
    }

    // MARK: - A range

    private func touchRange() async throws {
        try checkMayChange("changed")
        let range = try bounds.range(keys)
        if dryRun {
            let count = try await store.withReadView { view in
                try refuseRepositories(in: range, of: view)
                return try view.scan(range).count()
            }
            return try printResult("would touch", "wouldTouch", count)
        }
        let outcome = try await store.withStore(configure: level.configure) { [path = store.path] store in
            let view = try store.readView()
            try refuseRepositories(in: range, of: view)
            guard try isAgreed(range, of: view, { "change when \($0) of \(path) expire?" }) else { return Outcome() }
            Signals.noteRequestsToStop()
            return try await touch(range, of: view, in: store)
        }
        try printResult("touched", "touched", outcome.touched, outcome.sequence)
        if Signals.requestToStop != nil { throw QuietExit.stopped }
    }

    /// In memory are the keys and values of one write.
    private func touch(_ range: KeyRange, of view: ReadView, in store: Store) async throws -> Outcome {
        var outcome = Outcome()
        var page: [[UInt8]] = []
        func write() async throws {
            while !page.isEmpty {
                let (done, touched, sequence) = try await touch(page, upTo: 16 << 20, in: store)
                outcome.touched += touched.count
                outcome.sequence = sequence ?? outcome.sequence
                page.removeFirst(done)
            }
        }
        for key in try view.scan(range).keys {
            if Signals.requestToStop != nil { break }
            page.append(key)
            if page.count == 1_000 { try await write() }
        }
        try await write()
        return outcome
    }

    // MARK: - Single keys

    private func touchKeys() async throws {
        let outcome = try await store.withStore(configure: level.configure) { store in
            let view = try store.readView()
            let records = try await repository.records(in: view, of: self.store)
            guard let records else { return try await touchKeys(of: view, in: store) }
            return try await touch(records, of: view, in: store)
        }
        try report(
            "touched", outcome.touched, missing: outcome.missing, outcome.sequence,
            of: repository.model == nil ? "key" : "record")
    }

    private func touchKeys(of view: ReadView, in store: Store) async throws -> Outcome {
        let wanted = try key.map(keys.bytes)
        if wanted.contains(where: { $0.first == KeyLayout.root }) { try refuseRepositories(of: view) }
        let (_, touched, sequence) = try await touch(wanted, upTo: .max, in: store)
        let missing = Set(wanted).subtracting(touched)
        return Outcome(
            touched: touched.count, missing: wanted.filter(missing.contains).map(keys.notation.string),
            sequence: sequence)
    }

    /// Changes records with those of their index entries that exist.
    private func touch(_ records: StoredRecords, of view: ReadView, in store: Store) async throws -> Outcome {
        var outcome = Outcome()
        var (found, wanted): (Set<[UInt8]>, [[UInt8]]) = ([], [])
        for id in key {
            guard let read = try records.entry(id, in: view) else {
                outcome.missing.append(id)
                continue
            }
            found.insert(read.entry.key)
            wanted += try [read.entry.key] + records.entries(of: read, in: view)
        }
        let (_, touched, sequence) = try await touch(wanted, upTo: .max, in: store)
        (outcome.touched, outcome.sequence) = (found.intersection(touched).count, sequence)
        return outcome
    }

    // MARK: - All of them

    private func refuseRepositories(in range: KeyRange, of view: ReadView) throws {
        let own = range.after([KeyLayout.root]).before([KeyLayout.root + 1])
        if try view.scan(own).count() > 0 { try refuseRepositories(of: view) }
    }

    /// - Throws: ``Failure`` with ``ExitStatus/usage`` if the store has repositories.
    private func refuseRepositories(of view: ReadView) throws {
        guard try view.scan(.prefix(KeyLayout.catalogue)).count() > 0 else { return }
        throw Failure(
            .usage,
            "these are keys of a repository, whose records and index entries expire together: give ids with '--model'")
    }

    /// Changes the first of some keys in one write.
    ///
    /// - Parameter most: No more are changed once their values have this many bytes.
    /// - Returns: How many keys were looked at, which of them exist, and the number of the write if there was one.
    private func touch(
        _ keys: [[UInt8]], upTo most: Int, in store: Store
    ) async throws -> (done: Int, touched: Set<[UInt8]>, sequence: SequenceNumber?) {
        let expires = expires
        let committed = try await store.transaction(durability: level.durability.durability) { transaction in
            var (done, bytes, touched, isWritten) = (0, 0, Set<[UInt8]>(), false)
            while done < keys.count, bytes < most {
                let key = keys[done]
                done += 1
                guard let old = try transaction.expiry(of: key) else { continue }
                touched.insert(key)
                guard old != expires, let value = try await transaction.fetch(key) else { continue }
                try transaction.put(key, value, expires: expires)
                isWritten = true
                bytes += key.count + value.count
            }
            return (done, touched, isWritten)
        }
        let (done, touched, isWritten) = committed.value
        return (done, touched, isWritten ? committed.sequence : nil)
    }
}
