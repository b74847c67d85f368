internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import HeartwoodInspection

/// Plans and makes repairs of a store's files, and looks at what comes of them.
struct RepairCheck {
    private typealias Repair = HeartwoodInspection.Repair

    let image: DirectoryImage
    let records: VerifiedRecords
    /// What verification says of the files.
    let check: Verification
    let fileSystem: InMemoryFileSystem

    /// - Parameter choice: Chooses what else is asked for than everything.
    func run(_ choice: UInt32) throws {
        let repaired = try repair(RepairOptions(), to: "/repaired")
        var options = RepairOptions()
        switch choice % 3 {
        case 0: options.keepsPartial = true
        case 1: options.upToSequence = repaired.map { $0.lastSequence / 2 + UInt64(choice >> 8 % 4) } ?? .max
        default: options.upToTime = UInt64(choice) << (choice >> 8 % 33)
        }
        let other = try repair(options, to: "/other")
        if let repaired, let other {
            require(
                options.keepsPartial ? other.batches >= repaired.batches : other.lastSequence <= repaired.lastSequence,
                "\(options): \(other)")
            let limit = options.upToSequence ?? .max
            require(other.lastSequence <= limit, "\(other.lastSequence), though only up to \(limit)")
        }
        try compareWithOpening(isRepaired: repaired != nil)
    }

    /// Plans, and does, the same; nil where there is nothing to repair.
    private func repair(_ options: RepairOptions, to output: String) throws -> RepairReport? {
        let plan: RepairReport
        do {
            plan = try Repair.plan("/store", options, fileSystem: fileSystem)
        } catch let error as StoreError {
            require(isExpected(error, options), "a plan ended as \(error)")
            do {
                _ = try Repair.run("/store", output: output, options, now: 1, fileSystem: fileSystem)
                violated("repaired, though the plan ended as \(error)")
            } catch let second as StoreError {
                require(second.code == error.code, "a repair ended as \(second), and the plan as \(error)")
            }
            require(try fileSystem.kind(of: output + ".partial") == nil, "something is left of a repair")
            return nil
        }
        let report = try Repair.run("/store", output: output, options, now: 1, fileSystem: fileSystem)
        require(
            plan.batches == report.batches && plan.records == report.records
                && plan.partialBatches == report.partialBatches && plan.batchesLeftOut == report.batchesLeftOut
                && plan.snapshotKeys == report.snapshotKeys && plan.olderValues == report.olderValues
                && plan.lastSequence == report.lastSequence && plan.highestSequence == report.highestSequence
                && plan.losses.count == report.losses.count, "planned: \(plan), done: \(report)")
        try look(at: output, report)
        return report
    }

    private func isExpected(_ error: StoreError, _ options: RepairOptions) -> Bool {
        switch error.code {
        case .notFound, .unsupportedFormat: true
        // Files of two stores, as many of each, or a state from before all that is here.
        case .invalidArgument:
            error.message.contains("--store-id") || options.upToSequence != nil || options.upToTime != nil
        default: false
        }
    }

    /// The new store is whole, opens, needs no repair, and has only what was there.
    private func look(at output: String, _ report: RepairReport) throws {
        let check = try Verification.run(output, fileSystem: fileSystem, patience: .none)
        require(check.verdict == .clean && check.opens, "a repaired store: \(check.findings)")
        require(check.isClosed, "a repaired store isn't closed")
        let again = try Repair.plan(output, fileSystem: fileSystem)
        require(again.isComplete, "a repaired store has lost \(again.losses)")
        for name in try fileSystem.contents(ofDirectory: output) {
            let bytes = try contents(of: output + "/" + name)
            let (salt, first) = (UInt32(bytes.number(at: 12, bytes: 4)), bytes.number(at: 32, bytes: 8))
            for record in VerifiedRecords.records(of: bytes) where record.salt == salt && !record.content.isLostBatch {
                require(
                    records.contains(record.content, number: first &+ record.distance),
                    "number \(first &+ record.distance) is in the repaired store, and wasn't there: \(record)")
            }
        }
    }

    private func contents(of path: String) throws -> [UInt8] {
        let file = try fileSystem.openFile(path, for: .read)
        var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
        _ = try bytes.withUnsafeMutableBytes { try file.readFully(into: $0, at: 0) }
        try file.close()
        return bytes
    }

    // MARK: - An opening

    /// An opening succeeds exactly if it is said to; and what is clean is repaired as what it is.
    private func compareWithOpening(isRepaired: Bool) throws {
        for (name, bytes) in image.files {
            require(try contents(of: "/store/" + name) == bytes, "\(name) was changed")
        }
        let opened = opening("/store")
        switch opened {
        case .opened: require(check.opens, "it opens, and yet: \(check.findings)")
        case .failed(let failure):
            require(!check.opens, "it doesn't open: \(failure), and yet: \(check.findings)")
            require(check.verdict > .torn, "it doesn't open: \(failure), and is \(check.verdict)")
        }
        guard isRepaired else { return }
        let repaired = opening("/repaired")
        guard case .opened(let after) = repaired else { violated("a repaired store doesn't open: \(repaired)") }
        guard case .opened(let before) = opened, check.verdict == .clean, hasOnlyItsOwnNames else { return }
        // A repair leaves room behind the numbers of what it brings back, more than an opening.
        guard before.report.lastSequence < 1 << 62 else { return }
        for (left, right) in zip(before.entries, after.entries) {
            require(left == right, "\(left.key) of \(left.sequence ?? 0) became \(right.key) of \(right.sequence ?? 0)")
        }
        require(before.entries.count == after.entries.count, "not as many keys as before")
    }

    private func opening(_ path: String) -> OpeningOutcome {
        var configuration = OpeningOutcome.configuration
        configuration.fileSystem = fileSystem
        return OpeningOutcome(configuration, at: path)
    }

    /// A repair reads files under other names, too.
    private var hasOnlyItsOwnNames: Bool {
        image.files.allSatisfy { StoreFileName($0.name).isData }
    }
}
