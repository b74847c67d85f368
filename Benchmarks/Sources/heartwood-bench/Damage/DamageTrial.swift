internal import Foundation

/// One change: opens the store that has it, gets every key, scans, closes, and says what became of it.
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
                findings.isTold = true
            }
            findings.isReported = database.reportsLoss
            try await database.close()
        } catch {
            findings.isTold = true
        }
        return findings.verdict
    }

    /// What was seen.
    struct Findings: Sendable {
        /// The engine said that something is wrong.
        var isTold = false
        var isWrong = false
        var isLost = false
        /// A report that one has to ask for says that something was passed over.
        var isReported = false

        mutating func note(_ found: DamageClass) {
            switch found {
            case .wrong: isWrong = true
            case .lost: isLost = true
            default: break
            }
        }

        /// Wrong bytes are the worst, whatever else was said.
        var verdict: DamageClass {
            if isWrong { return .wrong }
            if isTold { return .refused }
            if isLost { return isReported ? .lostAndTold : .lost }
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
                findings.isTold = true
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
                    // A cycle in the files would never end.
                    return seen.count < data.keyCount
                }
                keys.write(number, to: &expected)
                let isKey = key.withUnsafeBytes { $0.elementsEqual(expected) }
                findings.note(isKey ? DamageStore.judge(number, value, data) : .wrong)
                return true
            }
            if seen.count < data.keyCount { findings.isLost = true }
        } catch {
            findings.isTold = true
        }
    }
}
