internal import Foundation

/// The effect of one changed byte.
enum DamageClass: String, Sendable, CaseIterable {
    case refused, harmless, lost, wrong, crashed, hung
}

extension DamageResult {
    init(_ classes: [DamageClass]) {
        func count(_ wanted: DamageClass) -> Int { classes.count { $0 == wanted } }
        self.init(
            changes: classes.count, refused: count(.refused), harmless: count(.harmless), lost: count(.lost),
            wrong: count(.wrong), crashed: count(.crashed), hung: count(.hung))
    }
}

/// `damage-closed`, `damage-killed`: what an engine does when one byte of its files has changed. A trial opens the
/// damaged store, gets every key, scans, closes, and classifies the effect.
struct DamageTrial {
    let data: Dataset
    private(set) var findings = Findings()

    /// In the child process: tries the changes from `first` on, and prints the effect of each.
    static func tryAll<E: Engine>(_ engine: E, _ cell: Cell, from first: Int) async throws {
        guard case .damage(let changes) = cell.row.work else { return }
        let files = try DamagedFiles(cell.spec.store, except: engine.unimportantFiles)
        for number in first..<changes {
            let path = try cell.newDirectory("change")
            try files.write(files.change(number, seed: cell.spec.parameters.seed), to: path)
            var trial = DamageTrial(data: cell.data)
            await trial.run(engine, cell.row.use, at: path)
            print(trial.findings.verdict.rawValue)
            fflush(nil)
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// What the engine returned.
    struct Findings: Sendable {
        /// The engine has thrown an error.
        var isRefused = false
        var isWrong = false
        var isLost = false

        mutating func note(_ found: DamageClass) {
            switch found {
            case .wrong: isWrong = true
            case .lost: isLost = true
            default: break
            }
        }

        /// Wrong bytes are the worst, even if an error was thrown too.
        var verdict: DamageClass {
            if isWrong { return .wrong }
            if isRefused { return .refused }
            return isLost ? .lost : .harmless
        }
    }

    private mutating func run<E: Engine>(_ engine: E, _ use: EngineUse, at path: String) async {
        do {
            let database = try await engine.open(at: path, for: use)
            do {
                let session = try database.session()
                getAll(session)
                try scanAll(session)
                session.end()
            } catch {
                findings.isRefused = true
            }
            try await database.close()
        } catch {
            findings.isRefused = true
        }
    }

    private mutating func getAll(_ session: some Session) {
        let keys = data.keys()
        var key = keys.makeBuffer()
        for number in 0..<data.keyCount {
            keys.write(number, to: &key)
            var found = DamageClass.lost
            do {
                _ = try session.get(key) { value in found = DamageStore.judge(number, value, data) }
                findings.note(found)
            } catch {
                findings.isRefused = true
            }
        }
    }

    private mutating func scanAll(_ session: some Session) throws {
        let keys = data.keys()
        var expected = keys.makeBuffer()
        var seen = Set<Int>()
        var findings = findings
        defer { self.findings = findings }
        try session.scan(from: nil) { key, value in
            let number = keys.number(of: key)
            guard number >= 0, number < data.keyCount, seen.insert(number).inserted else {
                findings.isWrong = true
                // The scan of a cycle in the files would never end.
                return seen.count < data.keyCount
            }
            keys.write(number, to: &expected)
            findings.note(key.hasBytes(expected) ? DamageStore.judge(number, value, data) : .wrong)
            return true
        }
        if seen.count < data.keyCount { findings.isLost = true }
    }
}

/// The contents of the small store that is damaged.
enum DamageStore {
    static let keys = 500
    /// Keys that are put before the compaction. The others stay in the log, if the engine has one.
    private static let compacted = 300
    /// Keys, from the first, that get another value after the compaction.
    private static let overwritten = 50

    /// Fills it, so that its files have as many kinds of structures as possible.
    static func fill<S: Session, D: Database>(_ session: S, _ database: D, _ data: Dataset) async throws {
        let keys = data.keys()
        var key = keys.makeBuffer()
        for number in 0..<compacted {
            keys.write(number, to: &key)
            try await session.put(key, value(number, round: 0, data))
        }
        try await database.compactAll()
        for number in Array(compacted..<data.keyCount) + Array(0..<overwritten) {
            keys.write(number, to: &key)
            try await session.put(key, value(number, round: number < overwritten ? 1 : 0, data))
        }
    }

    private static func value(_ number: Int, round: Int, _ data: Dataset) -> [UInt8] {
        data.value(number + round * 7_919)
    }

    /// Compares a value with the expected one of the key with that number.
    static func judge(_ number: Int, _ found: RawSpan, _ data: Dataset) -> DamageClass {
        let isOverwritten = number < overwritten
        if found.hasBytes(value(number, round: isOverwritten ? 1 : 0, data)) { return .harmless }
        // The older value: the later write is lost.
        return isOverwritten && found.hasBytes(value(number, round: 0, data)) ? .lost : .wrong
    }
}
