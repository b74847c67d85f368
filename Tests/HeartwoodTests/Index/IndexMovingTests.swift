import HeartwoodFileSystem
import Testing

@testable import Heartwood

/// Records that compaction moves: readers at every point see what they saw, and once it says so nobody comes upon an
/// old place any more.
@Suite struct IndexMovingTests {
    /// An index beside a model of it, and the compactions of both.
    struct Run {
        var random: SplitMix64
        let index = VersionedIndex(undoCapacity: 5)
        var model = IndexModel()
        /// With the time at which each was taken.
        var holds: [(point: ReadPoint, time: UInt64)] = []
        /// The sequence numbers of versions by the places that they were moved to.
        var moved: [UInt64: UInt64] = [:]
        var nextPlace: UInt64 = 1
        /// The last compaction, until its old places are free.
        var sweep: Sweep?
        var freed = 0

        struct Sweep {
            var sequence: UInt64
            var time: UInt64
            /// Key and new place of each record that is in the snapshot.
            var records: [(key: [UInt8], place: RecordLocation)] = []
            var plan = RetirementPlan()
        }

        let keys = (0..<40).map { Array("key/\($0 * 7)".utf8) }

        /// What a place says of its version, wherever that lies now.
        func sequence(_ version: Version) -> UInt64 {
            version.address < 1 << 16 ? moved[version.address]! : version.address >> 16
        }
    }

    @Test(arguments: 0..<6) func readersSeeWhatTheySaw(round: Int) throws {
        var run = Run(random: SplitMix64(fromEnvironmentFor: "IndexMovingTests"))
        let seed = run.random.seed
        for _ in 0..<round { _ = run.random.next() }
        for step in 0..<4_000 {
            run.change()
            try run.check("seed \(seed), step \(step)")
            if step % 50 == 0 { try #require(run.index.checkInvariants() == nil, "seed \(seed), step \(step)") }
        }
        for hold in run.holds { run.index.release(hold.point) }
        run.holds = []
        run.model.holds = []
        run.publishAll()
        run.compact()
        run.finishSweep()
        #expect(run.sweep == nil, "seed \(seed)")
        #expect(run.freed > 20, "seed \(seed)")
        #expect(run.index.checkInvariants() == nil, "seed \(seed)")
    }
}

extension IndexMovingTests.Run {
    mutating func change() {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<11: write()
        case 11, 12: publishAll()
        case 13 where holds.count < 3:
            let point = index.pin(newest: Bool.random(using: &random))
            holds.append((point, model.last))
            model.holds.append(point.sequence)
        case 14, 15, 16:
            guard !holds.isEmpty else { return }
            let number = Int.random(in: holds.indices, using: &random)
            index.release(holds.remove(at: number).point)
            model.holds.remove(at: number)
        case 17: compact()
        default: finishSweep()
        }
    }

    private mutating func write() {
        model.last += 1
        let sequence = model.last
        let publishes = model.visible == sequence - 1 && Bool.random(using: &random)
        var changes: [(key: [UInt8], version: Version)] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let key = keys.randomElement(using: &random)!
            // Expiry in steps; what is below the present number has expired.
            let expiry =
                Int.random(in: 0..<4, using: &random) == 0 ? sequence + UInt64.random(in: 1...60, using: &random) : 0
            changes.append(
                (
                    key,
                    Int.random(in: 0..<5, using: &random) == 0 ? .tombstone(sequence) : .value(sequence, expiry: expiry)
                ))
        }
        index.apply(sequence: sequence, publish: publishes) { writer in
            for (key, version) in changes { writer.add(key, version) }
        }
        for (key, version) in changes { model.add(key, version) }
        if publishes { model.visible = sequence }
    }

    mutating func publishAll() {
        model.visible = model.last
        index.publish(model.last)
    }

    /// What a compaction does: a snapshot of what is visible, and a first sweep.
    mutating func compact() {
        let hold = index.pin()
        let time = model.last
        var next = Sweep(sequence: hold.sequence, time: time)
        index.forEach(in: .all, at: hold.address, reversed: false) { key, version in
            if version.expiry == 0 || version.expiry > time {
                let place = RecordLocation(address: nextPlace, length: version.location.lengthBound)
                moved[nextPlace] = sequence(version)
                nextPlace += 1
                next.records.append(([UInt8](key), place))
            }
            return true
        }
        index.release(hold)
        sweep = next
        move()
    }

    private mutating func move() {
        guard var present = sweep else { return }
        index.prune()
        let records = present.records
        var pace = MovingPace()
        let kept = records.withUnsafeBufferPointer { records in
            index.move(records.count, ifUpTo: lastAddress(present.sequence), pace: &pace) { number in
                let key = records[number].key
                return (key.withUnsafeBufferPointer { UnsafeRawBufferPointer($0) }, records[number].place)
            }
        }
        present.plan.moved(lowestKept: kept, upTo: lastAddress(present.sequence), newest: index.newest)
        sweep = present
    }

    /// What the compactor does again and again until the old files can go.
    mutating func finishSweep() {
        while let present = sweep {
            switch present.plan.next(visible: index.visible, isOver: index.isOver) {
            case .wait: return
            case .endPinEpoch: sweep!.plan.ended(index.endPinEpoch())
            case .move: move()
            case .drop:
                guard dropExpired(present) else { return }
                freed += 1
                sweep = nil
                checkNobodySeesOldPlaces(of: present)
            }
        }
    }

    private func dropExpired(_ sweep: Sweep) -> Bool {
        index.prune()
        var last: [UInt8]?
        var isKept = false
        repeat {
            let (keys, resume) = index.expiredKeys(after: last, at: sweep.time, limit: 7)
            if index.dropExpired(keys, at: sweep.time, ifUpTo: lastAddress(sweep.sequence)) != nil { isKept = true }
            last = resume
        } while last != nil
        return !isKept
    }

    /// From here on the files are gone.
    private func checkNobodySeesOldPlaces(of sweep: Sweep) {
        let first = sweep.records.first?.place.address ?? nextPlace
        for point in holds.map(\.point.address) + [index.visible, index.newest] {
            index.forEach(in: .all, at: point, reversed: false) { key, version in
                let isOld =
                    version.address >= 1 << 16 ? version.address >> 16 <= sweep.sequence : version.address < first
                let isDead = version.expiry != 0 && version.expiry <= sweep.time
                if isOld, !isDead {
                    Issue.record(
                        "\(String(decoding: key, as: UTF8.self)) is still read from an old place, seed \(random.seed)")
                }
                return true
            }
        }
    }

    /// All keys at every point that somebody reads at.
    func check(_ comment: String) throws {
        // Who holds nothing judges expiry by now, which is never before a compaction's.
        let points = holds.map { ($0.point.sequence, $0.point.address, $0.time) }
        for (sequence, address, time) in points + [(model.visible, index.visible, model.last)] {
            for key in keys {
                let found = key.withUnsafeBytes { index.find($0, at: address) }
                let expected = model.find(key, at: sequence)
                if let found, let expected {
                    try #require(
                        self.sequence(found) == expected.sequence && found.expiry == expected.expiry, "\(comment)")
                } else if found != nil || expected != nil {
                    // What had expired may be gone.
                    let mayBeGone = found == nil && (expected?.expiry ?? 0) != 0 && expected!.expiry <= time
                    try #require(mayBeGone, "\(String(decoding: key, as: UTF8.self)) at \(sequence): \(comment)")
                }
            }
        }
    }
}
