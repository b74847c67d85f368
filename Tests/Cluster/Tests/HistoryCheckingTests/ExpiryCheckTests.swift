import Testing

@testable import cluster_campaign

@Suite struct ExpiryCheckTests {
    private func operation(
        _ call: ExpiringOperation.Call, _ time: ClosedRange<UInt64>, clock: ClosedRange<UInt64> = 0...0
    ) -> ExpiringOperation {
        ExpiringOperation(
            key: "k", expires: 5_000, call: call, start: time.lowerBound, end: time.upperBound, clock: clock)
    }

    @Test func acceptsWhatIsAllowed() {
        let operations = [
            operation(.write, 10...20),
            operation(.read(found: true), 12...15, clock: 1_000...1_001),
            operation(.read(found: false), 15...25, clock: 1_000...1_001),
            operation(.read(found: true), 30...40, clock: 4_999...5_001),
            operation(.read(found: false), 30...40, clock: 4_999...5_001),
            operation(.read(found: false), 30...40, clock: 5_000...5_001),
        ]
        #expect(ExpiryCheck.problems(operations) == [])
        let unknown = [
            operation(.unknownWrite, 10...20), operation(.read(found: true), 30...40, clock: 1_000...1_001),
            operation(.read(found: false), 30...40, clock: 1_000...1_001),
        ]
        #expect(ExpiryCheck.problems(unknown) == [])
    }

    @Test func findsWhatIsNot() {
        let write = operation(.write, 10...20)
        let isLate = operation(.read(found: true), 30...40, clock: 5_000...5_001)
        #expect(ExpiryCheck.problems([write, isLate]) == ["k is read after its expiry"])
        let isLost = operation(.read(found: false), 30...40, clock: 4_000...4_999)
        #expect(ExpiryCheck.problems([write, isLost]) == ["k isn't found before its expiry"])
        let isEarly = operation(.read(found: true), 1...5, clock: 1_000...1_001)
        #expect(ExpiryCheck.problems([write, isEarly]) == ["k is read, but wasn't written"])
    }
}
