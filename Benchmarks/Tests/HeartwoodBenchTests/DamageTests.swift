import Foundation
import Testing

@testable import heartwood_bench

struct DamageTests {
    @Test func aChangeAffectsOneByteOfTheData() throws {
        let root = NSTemporaryDirectory() + "damage-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: root) }
        let source = URL(fileURLWithPath: root + "/source")
        try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
        let contents: [String: [UInt8]] = ["LOCK": [1, 2, 3], "a": [9, 8, 7, 0, 0, 0], "b": [UInt8](1...100)]
        for (name, bytes) in contents { try Data(bytes).write(to: source.appendingPathComponent(name)) }
        let files = try DamagedFiles(source.path, except: ["LOCK"])
        var changed: [String: Int] = [:]
        for number in 0..<200 {
            let change = files.change(number, seed: 1)
            #expect(change == files.change(number, seed: 1))
            let copy = URL(fileURLWithPath: root + "/copy-\(number)")
            try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
            try files.write(change, to: copy.path)
            var differences = 0
            for (name, bytes) in contents {
                let copied = [UInt8](try Data(contentsOf: copy.appendingPathComponent(name)))
                #expect(copied.count == bytes.count)
                let count = zip(copied, bytes).count { $0 != $1 }
                differences += count
                if count > 0 { changed[name, default: 0] += 1 }
                // Preallocated space isn't data.
                if name == "a" { #expect(copied.suffix(3) == [0, 0, 0]) }
            }
            #expect(differences == 1)
        }
        #expect(changed["LOCK"] == nil && changed["a"] != nil && changed["b"]! > 150)
    }

    @Test func theWorstFindingIsTheVerdict() {
        var findings = DamageTrial.Findings()
        #expect(findings.verdict == .harmless)
        findings.note(.lost)
        #expect(findings.verdict == .lost)
        findings.isRefused = true
        #expect(findings.verdict == .refused)
        findings.note(.wrong)
        #expect(findings.verdict == .wrong)
    }

    @Test func classesAreCounted() {
        let result = DamageResult([.refused, .lost, .lost, .wrong, .crashed, .hung, .harmless, .harmless])
        #expect(result.changes == 8 && result.lost == 2 && result.harmless == 2)
        #expect(result.refused + result.lost + result.wrong + result.crashed + result.hung + result.harmless == 8)
    }
}
