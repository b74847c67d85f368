internal import Foundation

/// Tries one change: opens the damaged store, gets every key, scans, closes, and classifies the effect.
enum DamageTrial {
    static func run<E: Engine>(_ engine: E, _ use: EngineUse, _ data: Dataset, at path: String) async -> DamageClass {
        var findings = Findings()
        do {
            let database = try await engine.open(at: path, for: use)
            do {
                let session = try database.session()
                getAll(session, data, &findings)
                scanAll(session, data, &findings)
                session.end()
            } catch {
                findings.isRefused = true
            }
            findings.isReported = database.reportsLoss
            try await database.close()
        } catch {
            findings.isRefused = true
        }
        return findings.verdict
    }

    /// What the engine returned.
    struct Findings: Sendable {
        /// The engine has thrown an error.
        var isRefused = false
        var isWrong = false
        var isLost = false
        /// The report of the opening says that something was skipped.
        var isReported = false

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
            if isLost { return isReported ? .lostAndReported : .lost }
            return .harmless
        }
    }

    private static func getAll<S: Session>(_ session: S, _ data: Dataset, _ findings: inout Findings) {
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

    private static func scanAll<S: Session>(_ session: S, _ data: Dataset, _ findings: inout Findings) {
        let keys = data.keys()
        var expected = keys.makeBuffer()
        var seen = Set<Int>()
        do {
            try session.scan(from: nil) { key, value in
                let number = keys.number(of: key)
                guard number >= 0, number < data.keyCount, seen.insert(number).inserted else {
                    findings.isWrong = true
                    // The scan of a cycle in the files would never end.
                    return seen.count < data.keyCount
                }
                keys.write(number, to: &expected)
                let isKey = key.withUnsafeBytes { $0.elementsEqual(expected) }
                findings.note(isKey ? DamageStore.judge(number, value, data) : .wrong)
                return true
            }
            if seen.count < data.keyCount { findings.isLost = true }
        } catch {
            findings.isRefused = true
        }
    }
}
