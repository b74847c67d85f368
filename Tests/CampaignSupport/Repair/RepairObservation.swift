internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import HeartwoodInspection

/// The result of opening a store.
enum OpeningResult {
    case contents([RepairHistory.Key: RepairHistory.Found], RecoveryReport.Tail)
    /// The store opens, but a value can't be read.
    case unreadable(StoreError)
    case refused(StoreError)

    /// Opens the store, which changes its files, and reads every value.
    ///
    /// - Parameter check: Called with the open store if every value could be read.
    init(
        _ fileSystem: any FileSystem, at path: String = DirectoryImage.path, time: UInt64,
        _ check: (Store) throws -> Void = { _ in }
    ) throws {
        var configuration = Store.Configuration.quiet(fileSystem, ManualClock(milliseconds: time))
        configuration.createIfMissing = false
        let store: Store
        do throws(StoreError) {
            store = try Store(openingAt: path, configuration: configuration)
        } catch {
            self = .refused(error)
            return
        }
        do {
            self = .contents(try StoreReplica(store.readView()).contents, store.recoveryReport.tail)
            try check(store)
        } catch let error as StoreError {
            self = .unreadable(error)
        }
    }

    var contents: [RepairHistory.Key: RepairHistory.Found]? {
        if case .contents(let contents, _) = self { contents } else { nil }
    }

    var error: StoreError? {
        switch self {
        case .contents: nil
        case .unreadable(let error), .refused(let error): error
        }
    }

    /// Whether both show the same contents or the same error.
    func isSame(as other: OpeningResult) -> Bool {
        switch (self, other) {
        case (.contents(let left, _), .contents(let right, _)): left == right
        case (.unreadable(let left), .unreadable(let right)), (.refused(let left), .refused(let right)):
            left.code == right.code && left.file == right.file && left.offset == right.offset
        default: false
        }
    }
}

extension OpeningResult: CustomStringConvertible {
    var description: String {
        switch self {
        case .contents(let contents, let tail): "\(contents.count) keys, \(tail)"
        case .unreadable(let error): "a value that can't be read: \(error)"
        case .refused(let error): "refused: \(error)"
        }
    }
}

/// The result of a repair.
struct RepairedStore {
    var report: RepairReport
    var contents: [RepairHistory.Key: RepairHistory.Found]
    /// The number of records of each batch in its log.
    var batches: [UInt64: Int] = [:]
    /// The same without records of kinds that change nothing, which only a forged log has.
    var changes: [UInt64: Int] = [:]
    /// The last sequence number that its snapshot covers; 0 without a snapshot.
    var snapshotSequence: UInt64 = 0

    /// - Throws: `BrokenRule` if the directory isn't a sound store.
    init(_ report: RepairReport, at path: String, in fileSystem: InMemoryFileSystem, time: UInt64) throws {
        self.report = report
        let check = try Verification.run(path, fileSystem: fileSystem, patience: .none)
        try expect(
            check.verdict == .clean && check.opens, .repairedStore,
            "the repaired store is \(check.verdict): \(check.findings.prefix(3))")
        let image = try DirectoryImage(of: fileSystem, at: path)
        for name in image.snapshots {
            guard let bytes = image.files[name] else { continue }
            let header = try bytes.withUnsafeBytes { try FileHeader.decode($0) }
            snapshotSequence = max(snapshotSequence, header.predecessor?.lastSequence ?? 0)
        }
        for name in image.logs {
            guard let bytes = image.files[name] else { continue }
            // A lost sequence number has a record without a key.
            for record in try FileLayout(log: bytes).commits.flatMap(\.records) where record.keyLength > 0 {
                batches[record.sequence, default: 0] += 1
                if case .optional = record.kind { continue }
                changes[record.sequence, default: 0] += 1
            }
        }
        contents = [:]
        let opening = try OpeningResult(fileSystem, at: path, time: time) { [self] in try checkFeed(of: $0)
        }
        guard let contents = opening.contents else {
            throw BrokenRule(.repairedStore, "the repaired store: \(opening)")
        }
        self.contents = contents
    }
}

/// A broken rule.
package struct BrokenRule: Error, CustomStringConvertible {
    package enum Rule: String, Sendable, CaseIterable {
        case wrong = "R1 nothing wrong is returned"
        case silent = "R2 everything that is missing is reported"
        case falselyReported = "R2b only what was written and is missing is reported"
        case certainty = "R2c what can't be proven is reported as uncertain"
        case lost = "R3 undamaged data is there"
        case repairedStore = "a repaired store is sound"
        case plan = "a plan reports what the repair does"
        case verdict = "verify finds what opening and reading find"
        case sameVerdict = "one verdict on forged data"
        case error = "a repair ends without an error"
        case inPlace = "a repair in place leaves nothing over and loses no file"
        case interrupted = "an interrupted repair can be repeated"
        case history = "the store keeps its promises while it is written"
    }

    package var rule: Rule
    package var description: String

    init(_ rule: Rule, _ description: String) {
        self.rule = rule
        self.description = description
    }
}

/// Throws a ``BrokenRule`` unless the condition holds.
func expect(_ condition: Bool, _ rule: BrokenRule.Rule, _ message: @autoclosure () -> String) throws {
    if !condition { throw BrokenRule(rule, message()) }
}

extension RepairReport {
    /// Everything in it except the path of the new store, for comparison.
    var lines: [String] {
        let losses = losses.map { loss in
            "\(loss.what) \(loss.file.map(Self.name) ?? "") \(loss.offset ?? 0) \(loss.length) "
                + "\(loss.sequences.map { "\($0)" } ?? "") \(loss.isExact) \(loss.isProven) \(loss.keys.count) "
                + "\(loss.perhapsKeys.count) \(loss.keyRange.map { "\($0)" } ?? "")"
        }
        let sources = sources.map { "\($0.name) \($0.use) \($0.size)" }
        let certainty: String =
            switch certainty {
            case .complete: "complete"
            case .incomplete: "incomplete"
            case .unknownAfter(let file, let offset): "unknown after \(Self.name(file)) \(offset)"
            }
        return losses + sources + [
            certainty, "\(lossesNotListed) not listed", "snapshot \(snapshotSequence ?? 0) of \(snapshotKeys) keys",
            "\(olderValues) older values", "\(batches) batches, \(records) records, \(partialBatches) partial",
            "\(batchesLeftOut) left out, \(batchesBehindTear) after a tear",
            "last \(lastSequence) of \(highestSequence)",
        ]
    }

    private static func name(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }
}
