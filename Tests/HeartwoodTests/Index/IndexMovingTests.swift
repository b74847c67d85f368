import Testing

@testable import Heartwood

/// Records that compaction moves: readers at every read point still see the same, and when the plan says that the old
/// files can be deleted, no reader finds an old location.
@Suite struct IndexMovingTests {
    /// An index, a model of it, and their compactions.
    struct Run {
        var random: SplitMix64
        let index = VersionedIndex(undoCapacity: 5)
        var model = IndexModel()
        /// Read pins, with the time at which each was taken.
        var pins: [(point: ReadPoint, time: UInt64)] = []
        /// The sequence numbers of moved versions, by their new addresses.
        var moved: [UInt64: UInt64] = [:]
        var nextAddress: UInt64 = 1
        /// The last compaction, until its old locations are free.
        var sweep: Sweep?
        var freed = 0

        struct Sweep {
            var sequence: UInt64
            var time: UInt64
            /// Key and new location of each record in the snapshot.
            var records: [(key: [UInt8], location: RecordLocation)] = []
            var plan = RetirementPlan()
        }

        let keys = (0..<40).map { Array("key/\($0 * 7)".utf8) }

        /// The sequence number of a version, moved or not.
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
        for pin in run.pins { run.index.release(pin.point) }
        run.pins = []
        run.model.pins = []
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
        case 13 where pins.count < 3:
            let point = index.pin(newest: Bool.random(using: &random))
            pins.append((point, model.last))
            model.pins.append(point.sequence)
        case 14, 15, 16:
            guard !pins.isEmpty else { return }
            let number = Int.random(in: pins.indices, using: &random)
            index.release(pins.remove(at: number).point)
            model.pins.remove(at: number)
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
            // Time is counted in sequence numbers.
            let expires = Int.random(in: 0..<4, using: &random) == 0
            let expiry = expires ? sequence + UInt64.random(in: 1...60, using: &random) : 0
            let isTombstone = Int.random(in: 0..<5, using: &random) == 0
            changes.append((key, isTombstone ? .tombstone(sequence) : .value(sequence, expiry: expiry)))
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

    /// The steps of a compaction: a snapshot of what is visible, and a first sweep.
    mutating func compact() {
        let pin = index.pin()
        let time = model.last
        var next = Sweep(sequence: pin.sequence, time: time)
        index.forEach(in: .all, at: pin.address, reversed: false) { key, version in
            if version.expiry == 0 || version.expiry > time {
                let location = RecordLocation(address: nextAddress, length: version.location.lengthBound)
                moved[nextAddress] = sequence(version)
                nextAddress += 1
                next.records.append(([UInt8](key), location))
            }
            return true
        }
        index.release(pin)
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
                return (key.withUnsafeBufferPointer { UnsafeRawBufferPointer($0) }, records[number].location)
            }
        }
        present.plan.moved(lowestKept: kept, upTo: lastAddress(present.sequence), newest: index.newest)
        sweep = present
    }

    /// The steps that the compactor repeats until the old files can be deleted.
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
                checkNoReaderSeesOldLocations(of: present)
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

    /// From here on, the old files are deleted.
    private func checkNoReaderSeesOldLocations(of sweep: Sweep) {
        let first = sweep.records.first?.location.address ?? nextAddress
        for point in pins.map(\.point.address) + [index.visible, index.newest] {
            index.forEach(in: .all, at: point, reversed: false) { key, version in
                let isOld =
                    version.address >= 1 << 16 ? version.address >> 16 <= sweep.sequence : version.address < first
                let isDead = version.expiry != 0 && version.expiry <= sweep.time
                if isOld, !isDead {
                    let name = String(decoding: key, as: UTF8.self)
                    Issue.record("\(name) is still read from an old location, seed \(random.seed)")
                }
                return true
            }
        }
    }

    /// All keys at every point at which a reader may read.
    func check(_ comment: String) throws {
        // A reader without a pin takes the present time for expiry, which is never before a compaction's.
        let points = pins.map { ($0.point.sequence, $0.point.address, $0.time) }
        for (sequence, address, time) in points + [(model.visible, index.visible, model.last)] {
            for key in keys {
                let found = key.withUnsafeBytes { index.find($0, at: address) }
                let expected = model.find(key, at: sequence)
                if let found, let expected {
                    try #require(
                        self.sequence(found) == expected.sequence && found.expiry == expected.expiry, "\(comment)")
                } else if found != nil || expected != nil {
                    // An expired version may be gone.
                    let mayBeGone = found == nil && (expected?.expiry ?? 0) != 0 && expected!.expiry <= time
                    try #require(mayBeGone, "\(String(decoding: key, as: UTF8.self)) at \(sequence): \(comment)")
                }
            }
        }
    }
}
