internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import HeartwoodInspection
internal import HeartwoodTesting

/// A repair in place that is interrupted at every call, by the death of the process or a loss of power, and repeated.
struct InterruptedRepair {
    private let repairCase: RepairCase
    private let time: UInt64
    private let before: DiskImage
    private let seed: UInt64

    init(_ repairCase: RepairCase, seed: UInt64) {
        self.repairCase = repairCase
        self.seed = seed
        time = repairCase.damaged.history.time
        var image = DiskImage()
        image.makeDirectory(DirectoryImage.path)
        for (name, bytes) in repairCase.damaged.image.files { image[path: DirectoryImage.path + "/" + name] = bytes }
        before = image
    }

    /// - Returns: The number of interruptions.
    /// - Throws: `BrokenRule`.
    func run() throws -> Int {
        let disk = SimulatedDisk(image: before, seed: seed)
        guard (try? repair(disk, now: time)) != nil else { return 0 }
        let trace = disk.trace
        let old = try OpeningResult(SimulatedDisk(image: before), time: time)
        let new = try OpeningResult(SimulatedDisk(image: disk.image), time: time)
        var random = SeededRandom(seed, 84)
        var count = 0
        for crash in trace.crashStates(limit: 3, seed: seed) {
            count += 1
            do {
                let done = try checkOpening(crash.image, old, new) ? 1 : 0
                guard let again = try repeatRepair(crash.image, now: time + 1, new, more: done) else { continue }
                guard random.oneIn(6) else { continue }
                // The second repair is interrupted, too.
                let moments = Array(again.crashStates(limit: 2, seed: seed))
                guard let second = random.element(of: moments) else { continue }
                count += 1
                let doneAgain = try checkOpening(second.image, old, new) ? 1 : 0
                _ = try repeatRepair(second.image, now: time + 2, new, more: done + doneAgain)
            } catch let broken as BrokenRule {
                let calls = crash.lastCalls(2).map(\.description).joined(separator: "; ")
                throw BrokenRule(.interrupted, "\(broken) (crash \(crash.state), after \(calls))")
            }
        }
        return count
    }

    private func repair(_ disk: SimulatedDisk, now: UInt64) throws {
        _ = try Repair.runInPlace(DirectoryImage.path, repairCase.options, now: now, fileSystem: disk)
    }

    /// An opening gives the old or the repaired store, or refuses and says what to do.
    ///
    /// - Returns: Whether it gives the repaired store.
    private func checkOpening(_ image: DiskImage, _ old: OpeningResult, _ new: OpeningResult) throws -> Bool {
        let opening = try OpeningResult(SimulatedDisk(image: image), time: time)
        if let contents = opening.contents, contents == new.contents { return true }
        if opening.isSame(as: old) { return false }
        if case .refused(let error) = opening, error.message.contains("repair"), error.message.contains("again") {
            return false
        }
        throw BrokenRule(.interrupted, "before \(old), repaired \(new), and interrupted \(opening)")
    }

    /// - Returns: The trace of the second repair; nil if the first had ended, and the requested store no longer exists.
    private func repeatRepair(
        _ image: DiskImage, now: UInt64, _ new: OpeningResult, more: Int
    ) throws -> DiskTrace? {
        let disk = SimulatedDisk(image: image, seed: seed &+ now)
        do {
            try repair(disk, now: now)
        } catch let error as StoreError where error.code == .notFound && repairCase.options.storeID != nil && more > 0 {
            return nil
        } catch {
            throw BrokenRule(.interrupted, "repeated it fails: \(error)")
        }
        let trace = disk.trace
        try repairCase.checkDirectory(disk, more: more)
        let opening = try OpeningResult(disk, time: time)
        try expect(opening.contents == new.contents, .interrupted, "repeated it is \(opening), not \(new)")
        return trace
    }
}
