internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import HeartwoodInspection

/// One damaged store. It is verified, opened, read, and repaired in every way.
package struct RepairCase {
    package struct Outcome: Sendable {
        /// Whether an opening refuses.
        package var isRefused = false
        /// Whether nothing was lost.
        package var isWhole = false
        /// Whether something is lost without a proof.
        package var isUnproven = false
        package var isForged = false
    }

    private static let output = "/repaired"
    let damaged: DamagedStore
    private let history: RepairHistory
    private let time: UInt64

    package init(_ damaged: DamagedStore) {
        self.damaged = damaged
        history = damaged.history
        time = history.time
    }

    /// - Throws: `BrokenRule`.
    package func run() throws -> Outcome {
        var outcome = Outcome()
        outcome.isForged = damaged.isForged
        let fileSystem = try damaged.image.fileSystem()
        let check = Result { try Verification.run(DirectoryImage.path, fileSystem: fileSystem, patience: .none) }
        let opening = try OpeningResult(try damaged.image.fileSystem(), time: time)
        outcome.isRefused = opening.contents == nil
        try compare(check, opening)
        guard let repaired = try repair(fileSystem, opening) else { return outcome }
        try compareInPlace(repaired)
        if damaged.isForged {
            try judgeForged(try check.get(), opening, repaired)
        } else {
            var judge = RepairJudge(damaged, repaired)
            try judge.judge()
            outcome.isWhole = repaired.contents == history.state
            outcome.isUnproven = judge.unproven > 0
        }
        return outcome
    }

    /// The reports of verification and of a repair plan.
    var described: [String] {
        do {
            let fileSystem = try damaged.image.fileSystem()
            let check = try Verification.run(DirectoryImage.path, fileSystem: fileSystem, patience: .none)
            let plan = try Repair.plan(DirectoryImage.path, options, fileSystem: fileSystem)
            return ["verify: \(check.verdict)"] + check.findings.map(\.description) + ["repair:"] + plan.lines
        } catch {
            return ["\(error)"]
        }
    }

    // MARK: - Verdicts

    /// Verification finds all damage that an opening or a read finds. A verified store can be opened and read.
    private func compare(_ check: Result<Verification, any Error>, _ opening: OpeningResult) throws {
        switch check {
        case .failure(let error):
            guard let error = error as? StoreError, error.code == .notFound || error.code == opening.error?.code else {
                throw BrokenRule(.verdict, "verify fails: \(error); an opening: \(opening)")
            }
        case .success(let check):
            let isSound = check.verdict <= .torn
            switch opening {
            case .contents:
                try expect(check.opens, .verdict, "it opens, and verify says \(check.findings.prefix(3))")
            case .unreadable(let error), .refused(let error):
                switch error.code {
                case .corruption where check.verdict >= .corrupt: break
                case .unsupportedFormat where check.verdict >= .unsupported: break
                case .notFound where damaged.own.isEmpty: break
                default:
                    throw BrokenRule(.verdict, "verify says \(check.verdict), and reading: \(opening)")
                }
            }
            try expect(
                !isSound || opening.contents != nil, .verdict, "verify says \(check.verdict), and reading: \(opening)")
        }
    }

    // MARK: - Repairs

    var options: RepairOptions {
        var options = RepairOptions()
        // If most files are of another store, the options must say which store is meant.
        let foreign = damaged.image.files.keys.filter { StoreFileName($0).isData && damaged.origins[$0] == nil }
        if !foreign.isEmpty, foreign.count >= damaged.soundHeaders.count {
            options.storeID = history.files.first?.value.header.storeID
        }
        return options
    }

    /// Plans a repair, and repairs to a new directory; nil if there is nothing to repair.
    private func repair(_ fileSystem: InMemoryFileSystem, _ opening: OpeningResult) throws -> RepairedStore? {
        let (plan, report): (RepairReport, RepairReport)
        do {
            plan = try Repair.plan(DirectoryImage.path, options, fileSystem: fileSystem)
            report = try Repair.run(
                DirectoryImage.path, output: Self.output, options, now: time, fileSystem: fileSystem)
        } catch let error as StoreError {
            switch error.code {
            case .notFound where damaged.own.isEmpty || options.storeID != nil: return nil
            // A forged store ID makes two stores of one.
            case .unsupportedFormat where damaged.isForged, .invalidArgument where damaged.isForged: return nil
            default: throw BrokenRule(.error, "the repair fails: \(error)")
            }
        }
        guard plan.lines == report.lines else {
            let (left, right) = (plan.lines, report.lines)
            let first = zip(left, right).first { $0 != $1 }
            throw BrokenRule(
                .plan, "planned: \(first?.0 ?? "\(left.count) lines"), done: \(first?.1 ?? "\(right.count)")")
        }
        try expect(
            DirectoryImage(of: fileSystem).files == damaged.image.files.filter({ $0.key != "LOCK" }), .inPlace,
            "a repair to another directory has changed the old files")
        return try RepairedStore(report, at: Self.output, in: fileSystem, time: time)
    }

    private func compareInPlace(_ repaired: RepairedStore) throws {
        let fileSystem = try damaged.image.fileSystem()
        let report: RepairReport
        do {
            report = try Repair.runInPlace(DirectoryImage.path, options, now: time, fileSystem: fileSystem)
        } catch let error as StoreError where error.code == .invalidArgument {
            // The name of the guard must be free.
            guard damaged.image.files[RepairGuard.name] != nil else { throw error }
            return
        }
        try expect(
            report.lines == repaired.report.lines, .plan,
            "a repair in place reports something else than one to a new directory")
        try checkDirectory(fileSystem)
        let opening = try OpeningResult(fileSystem, time: time)
        try expect(opening.contents == repaired.contents, .inPlace, "repaired in place it is another store: \(opening)")
    }

    /// A repair in place leaves nothing over, and keeps all old files.
    ///
    /// - Parameter more: The maximum number of further repairs of the repaired store.
    func checkDirectory(_ fileSystem: any FileSystem, more: Int = 0) throws {
        let names = try fileSystem.contents(ofDirectory: DirectoryImage.path)
        var kept: [String] = []
        for name in names {
            if try fileSystem.kind(of: DirectoryImage.path + "/" + name) == .directory {
                try expect(name.hasPrefix("damaged-"), .inPlace, "\(name) is left over")
                kept.append(name)
            } else if name.hasSuffix(".tmp") || name == StoreFileName.log(.max) {
                throw BrokenRule(.inPlace, "\(name) is left over")
            }
        }
        try expect((1...1 + more).contains(kept.count), .inPlace, "the old files are in \(kept)")
        let old = damaged.image.files.filter { $0.key != StoreFileName.lockName && $0.key != StoreFileName.keepLogName }
        let isKept = try kept.contains { name in
            try DirectoryImage(of: fileSystem, at: DirectoryImage.path + "/" + name).files == old
        }
        try expect(isKept, .inPlace, "not all old files are in \(kept), as they were")
    }

    // MARK: - Forged

    /// Verification, opening and repair agree on forged data. Everything else is restored.
    private func judgeForged(_ check: Verification, _ opening: OpeningResult, _ repaired: RepairedStore) throws {
        let isSound = repaired.report.certainty != .incomplete
        guard check.verdict <= .torn, let contents = opening.contents else {
            guard repaired.report.certainty == .complete else { return }
            // A repair may not need the forged data. Then everything is restored.
            var judge = RepairJudge(damaged, repaired)
            try judge.judgeForged()
            return
        }
        // Forged sequence numbers in a torn tail may prove that more was there.
        try expect(
            isSound || check.verdict == .torn, .sameVerdict,
            "it can be read, verify says \(check.verdict), and a repair: "
                + "\(repaired.report.losses.first?.what ?? "")")
        try expect(
            repaired.report.batchesBehindTear > 0 || repaired.contents == contents, .sameVerdict,
            "repaired it holds \(RepairHistory.difference(repaired.contents, contents))")
    }
}
