import KeyValueStore
import KeyValueStoreTesting
import Testing

/// The suite notices engines that break a promise.
@Suite struct BrokenStoreTests {
    @Test(arguments: Fault.allCases)
    func isNoticed(_ fault: Fault) async throws {
        let check = try #require(ConformanceCheck.all.first { $0.name == fault.check })
        let failure = await #expect(throws: ConformanceFailure.self) { try await check.run(on: subject(fault)) }
        #expect(failure?.description.contains(check.name) == true)
        #expect(failure?.file.hasPrefix("KeyValueStoreTesting/ConformanceCheck") == true, "\(failure as Any)")
    }

    /// Otherwise the tests above would show nothing.
    @Test(arguments: ConformanceCheck.all)
    func passesWithoutAFault(_ check: ConformanceCheck) async throws {
        let outcome = try await check.run(on: subject(nil))
        #expect(outcome == .passed || outcome == .skipped("a store that can be opened again"))
    }

    @Test func reportNamesEveryCheck() async throws {
        let report = await KeyValueStoreConformance.run(on: subject(.ignoresReverse))
        let names = report.passed.map(\.name) + report.skipped.map(\.check.name)
        let failed = Set(report.failed.map(\.check))
        #expect(names.count + failed.count == ConformanceCheck.all.count)
        #expect(failed.contains { $0.hasSuffix(Fault.ignoresReverse.check) })
        #expect(report.skipped.map(\.reason) == ["a store that can be opened again"])
    }

    private func subject(_ fault: Fault?) -> KeyValueStoreConformance.Subject {
        let clock = TestClock()
        var subject = KeyValueStoreConformance.Subject("a store with the fault \(fault as Any)") {
            try await BrokenStore(fault, clock: clock)
        }
        subject.close = { await ($0 as? BrokenStore)?.inner.close() }
        subject.advanceClock = { clock.advance(by: $0) }
        return subject
    }
}
