internal import Heartwood
internal import HeartwoodCampaignSupport
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import HeartwoodInspection

/// Plans and makes repairs of a store's files, and checks the results.
struct RepairCheck {
    private typealias Repair = HeartwoodInspection.Repair

    let image: DirectoryImage
    let records: VerifiedRecords
    /// The result of verification.
    let check: Verification
    let fileSystem: InMemoryFileSystem

    /// - Parameter choice: Selects the options of a second repair.
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

    /// Plans a repair and makes it, with the same results; nil if there is nothing to repair.
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
            require(try fileSystem.kind(of: output + ".partial") == nil, "a failed repair left files")
            return nil
        }
        let report = try Repair.run("/store", output: output, options, now: 1, fileSystem: fileSystem)
        require(
            plan.batches == report.batches && plan.records == report.records
                && plan.partialBatches == report.partialBatches && plan.batchesLeftOut == report.batchesLeftOut
                && plan.snapshotKeys == report.snapshotKeys && plan.olderValues == report.olderValues
                && plan.lastSequence == report.lastSequence && plan.highestSequence == report.highestSequence
                && plan.losses.count == report.losses.count, "planned: \(plan), done: \(report)")
        try check(output, report)
        return report
    }

    private func isExpected(_ error: StoreError, _ options: RepairOptions) -> Bool {
        switch error.code {
        case .notFound, .unsupportedFormat: true
        // Files of two stores, as many of each; or a requested state that is older than all files.
        case .invalidArgument:
            error.message.contains("--store-id") || options.upToSequence != nil || options.upToTime != nil
        default: false
        }
    }

    /// The new store is complete, opens, needs no repair, and has only records of the input.
    private func check(_ output: String, _ report: RepairReport) throws {
        let check = try Verification.run(output, fileSystem: fileSystem, patience: .none)
        require(check.verdict == .clean && check.opens, "a repaired store: \(check.findings)")
        require(check.isClosed, "a repaired store isn't closed")
        let again = try Repair.plan(output, fileSystem: fileSystem)
        require(again.isComplete, "a repaired store has lost \(again.losses)")
        for name in try fileSystem.contents(ofDirectory: output) {
            let bytes = try fileSystem.bytes(of: output + "/" + name)
            let (salt, first) = (UInt32(bytes.number(at: 12, bytes: 4)), bytes.number(at: 32, bytes: 8))
            for record in VerifiedRecords.records(of: bytes) where record.salt == salt && !record.content.isLostBatch {
                require(
                    records.contains(record.content, number: first &+ record.distance),
                    "number \(first &+ record.distance) is in the repaired store, and wasn't there: \(record)")
            }
        }
    }

    // MARK: - An opening

    /// An opening succeeds exactly if verification says so, and a repair of a clean store changes nothing in it.
    private func compareWithOpening(isRepaired: Bool) throws {
        for (name, bytes) in image.files {
            require(try fileSystem.bytes(of: "/store/" + name) == bytes, "\(name) was changed")
        }
        let opened = opening("/store")
        switch opened {
        case .opened: require(check.opens, "it opens, but: \(check.findings)")
        case .failed(let failure):
            require(!check.opens, "it doesn't open: \(failure), but: \(check.findings)")
            require(check.verdict > .torn, "it doesn't open: \(failure), and is \(check.verdict)")
        }
        guard isRepaired else { return }
        let repaired = opening("/repaired")
        guard case .opened(let after) = repaired else { violated("a repaired store doesn't open: \(repaired)") }
        guard case .opened(let before) = opened, check.verdict == .clean, hasOnlyItsOwnNames else { return }
        // A repair skips more sequence numbers after the recovered ones than an opening.
        guard before.report.lastSequence < 1 << 62 else { return }
        for (left, right) in zip(before.entries, after.entries) {
            require(left == right, "\(left.key) of \(left.sequence ?? 0) became \(right.key) of \(right.sequence ?? 0)")
        }
        require(before.entries.count == after.entries.count, "another number of keys than before")
    }

    private func opening(_ path: String) -> OpeningOutcome {
        OpeningOutcome(OpeningOutcome.configuration(fileSystem), at: path)
    }

    /// A repair also reads files with other names.
    private var hasOnlyItsOwnNames: Bool {
        image.files.allSatisfy { StoreFileName($0.name).isData }
    }
}
