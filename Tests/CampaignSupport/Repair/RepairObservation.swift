internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import HeartwoodInspection

/// What an opening of some files comes to.
enum OpeningResult {
    case contents([RepairHistory.Key: RepairHistory.Found], RecoveryReport.Tail)
    /// It opens, and not every value can be read.
    case unreadable(StoreError)
    case refused(StoreError)

    /// Opens the store of a file system, which changes it, and reads every value.
    init(_ fileSystem: any FileSystem, at path: String = StoreImage.path, time: UInt64) throws {
        var configuration = Store.Configuration()
        configuration.fileSystem = fileSystem
        configuration.clock = ManualClock(milliseconds: time)
        configuration.commitBufferBytes = 64 << 10
        configuration.createIfMissing = false
        configuration.compaction = .manual
        configuration.delays = .manual(ManualDelays())
        let store: Store
        do throws(StoreError) {
            store = try Store(openingAt: path, configuration: configuration)
        } catch {
            self = .refused(error)
            return
        }
        do {
            self = .contents(try RepairHistory.contents(of: store), store.recoveryReport.tail)
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

    /// Whether both show the same, or refuse alike.
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

/// What a repair made.
struct RepairedStore {
    var report: RepairReport
    var contents: [RepairHistory.Key: RepairHistory.Found]
    /// The batches of its log, and how many records each has.
    var batches: [UInt64: Int] = [:]
    /// Up to which number its snapshot holds everything; 0 without one.
    var snapshotSequence: UInt64 = 0

    /// Looks at what is in a directory.
    ///
    /// - Throws: `BrokenRule` where it isn't a sound store.
    init(_ report: RepairReport, at path: String, in fileSystem: InMemoryFileSystem, time: UInt64) throws {
        self.report = report
        let check = try Verification.run(path, fileSystem: fileSystem, patience: .none)
        guard check.verdict == .clean, check.opens else {
            throw BrokenRule(.repairedStore, "the repaired store is \(check.verdict): \(check.findings.prefix(3))")
        }
        let image = try StoreImage(of: fileSystem, at: path)
        for name in image.snapshots {
            guard let bytes = image.files[name] else { continue }
            let header = try bytes.withUnsafeBytes { try FileHeader.decode($0) }
            snapshotSequence = max(snapshotSequence, header.predecessor?.lastSequence ?? 0)
        }
        for name in image.logs {
            guard let bytes = image.files[name] else { continue }
            // Numbers that are marked as lost have a record without a key.
            for record in try FileLayout(log: bytes).commits.flatMap(\.records) where record.keyLength > 0 {
                batches[record.sequence, default: 0] += 1
            }
        }
        let opening = try OpeningResult(fileSystem, at: path, time: time)
        guard let contents = opening.contents else {
            throw BrokenRule(.repairedStore, "the repaired store: \(opening)")
        }
        self.contents = contents
    }
}

/// A rule that was broken, and how.
package struct BrokenRule: Error, CustomStringConvertible {
    package enum Rule: String, Sendable, CaseIterable {
        case wrong = "R1 nothing wrong is returned"
        case silent = "R2 all that is missing is told"
        case falselyTold = "R2b only what was given and is missing is told"
        case certainty = "R2c what can't be proven is said"
        case lost = "R3 what no damage touched is there"
        case repairedStore = "a repaired store is sound"
        case plan = "a plan says what the repair does"
        case verdict = "verify says what an opening and reading find"
        case sameVerdict = "one verdict on what is forged"
        case error = "a repair comes to an end without an error"
        case inPlace = "in place nothing is left over, and nothing gone"
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

extension RepairReport {
    /// All that it says but for where the new store is, to be compared.
    var said: [String] {
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
