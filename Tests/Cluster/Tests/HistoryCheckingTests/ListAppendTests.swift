import HeartwoodTesting
import HistoryChecking
import Testing

/// The check of lists finds planted anomalies, and nothing in the histories of a serial store.
@Suite struct ListAppendTests {
    typealias Step = ListTransaction.Step

    /// A transaction at a moment; those with later moments begin after it has ended.
    private func transaction(
        _ time: UInt64, _ outcome: ListTransaction.Outcome = .committed, _ steps: Step..., lasts: UInt64 = 1
    ) -> ListTransaction {
        ListTransaction(client: 0, steps: steps, outcome: outcome, start: time * 10, end: time * 10 + lasts)
    }

    private func cycles(_ history: ListTransaction...) -> [String] {
        ListAppendCheck.anomalies(of: history).map { anomaly in
            if case .cycle(let cycle) = anomaly { cycle.name } else { "\(anomaly)" }
        }
    }

    @Test func acceptsASerialHistory() {
        let history = [
            transaction(1, .committed, .append(key: 1, value: 1)),
            transaction(2, .aborted, .append(key: 1, value: 9)),
            transaction(3, .committed, .read(key: 1, values: [1]), .append(key: 1, value: 2)),
            transaction(4, .unknown, .append(key: 1, value: 3)),
            transaction(5, .committed, .append(key: 2, value: 1), .read(key: 2, values: [1])),
            transaction(6, .committed, .read(key: 1, values: [1, 2, 3]), .read(key: 2, values: [1])),
        ]
        #expect(ListAppendCheck.anomalies(of: history) == [])
    }

    @Test func findsAReadOfAnAbortedAppend() {
        let history = [
            transaction(1, .aborted, .append(key: 1, value: 1)),
            transaction(2, .committed, .read(key: 1, values: [1])),
        ]
        #expect(ListAppendCheck.anomalies(of: history) == [.strangeValue(key: 1, value: 1, abortedBy: 0)])
        let unknown = [transaction(1, .committed, .read(key: 1, values: [7]))]
        #expect(ListAppendCheck.anomalies(of: unknown) == [.strangeValue(key: 1, value: 7, abortedBy: nil)])
    }

    @Test func findsAnIntermediateRead() {
        let history = [
            transaction(1, .committed, .append(key: 1, value: 1), .append(key: 1, value: 2), lasts: 90),
            transaction(2, .committed, .read(key: 1, values: [1])),
            transaction(9, .committed, .read(key: 1, values: [1, 2])),
        ]
        #expect(ListAppendCheck.anomalies(of: history).contains(.intermediateRead(key: 1, value: 1, reader: 1)))
    }

    @Test func findsADuplicate() {
        let history = [
            transaction(1, .committed, .append(key: 1, value: 1)),
            transaction(2, .committed, .read(key: 1, values: [1, 1])),
        ]
        #expect(ListAppendCheck.anomalies(of: history).contains(.duplicate(key: 1, value: 1)))
    }

    @Test func findsIncompatibleReads() {
        let history = [
            transaction(1, .committed, .append(key: 1, value: 1)),
            transaction(1, .committed, .append(key: 1, value: 2)),
            transaction(2, .committed, .read(key: 1, values: [1, 2])),
            transaction(3, .committed, .read(key: 1, values: [2, 1])),
        ]
        #expect(ListAppendCheck.anomalies(of: history).contains(.incompatibleReads(key: 1, [1, 2], [2, 1])))
    }

    @Test func findsATransactionThatDoesNotSeeItself() {
        let history = [transaction(1, .committed, .append(key: 1, value: 1), .read(key: 1, values: []))]
        #expect(ListAppendCheck.anomalies(of: history) == [.inconsistentWithin(transaction: 0)])
    }

    @Test func findsALostAppend() {
        #expect(
            cycles(
                transaction(1, .committed, .append(key: 1, value: 1)),
                transaction(2, .committed, .read(key: 1, values: []))) == ["G-single-realtime"])
    }

    @Test func findsALostUpdate() {
        // Both have read the empty list, and both have appended.
        #expect(
            cycles(
                transaction(1, .committed, .read(key: 1, values: []), .append(key: 1, value: 1), lasts: 90),
                transaction(2, .committed, .read(key: 1, values: []), .append(key: 1, value: 2), lasts: 90),
                transaction(50, .committed, .read(key: 1, values: [1, 2]))) == ["G-single"])
    }

    @Test func findsWriteSkew() {
        #expect(
            cycles(
                transaction(1, .committed, .read(key: 1, values: []), .append(key: 2, value: 2), lasts: 90),
                transaction(2, .committed, .read(key: 2, values: []), .append(key: 1, value: 1), lasts: 90),
                transaction(50, .committed, .read(key: 1, values: [1]), .read(key: 2, values: [2]))) == ["G2"])
    }

    @Test func findsACycleOfWrites() {
        #expect(
            cycles(
                transaction(1, .committed, .append(key: 1, value: 1), .append(key: 2, value: 1), lasts: 90),
                transaction(2, .committed, .append(key: 1, value: 2), .append(key: 2, value: 2), lasts: 90),
                transaction(50, .committed, .read(key: 1, values: [1, 2]), .read(key: 2, values: [2, 1]))) == ["G0"])
    }

    @Test func findsCircularInformation() {
        #expect(
            cycles(
                transaction(1, .committed, .append(key: 1, value: 1), .read(key: 2, values: [1]), lasts: 90),
                transaction(2, .committed, .append(key: 2, value: 1), .read(key: 1, values: [1]), lasts: 90))
                == ["G1c"])
    }

    @Test func findsAFracturedRead() {
        // It sees the append to one list of a transaction, and not that to the other.
        #expect(
            cycles(
                transaction(1, .committed, .append(key: 1, value: 1), .append(key: 2, value: 1), lasts: 90),
                transaction(2, .committed, .read(key: 1, values: [1]), .read(key: 2, values: []), lasts: 90),
                transaction(50, .committed, .read(key: 2, values: [1]))) == ["G-single"])
    }

    @Test func findsAStaleRead() {
        #expect(
            cycles(
                transaction(1, .committed, .append(key: 1, value: 1)),
                transaction(2, .committed, .append(key: 1, value: 2)),
                transaction(3, .committed, .read(key: 1, values: [1])),
                transaction(4, .committed, .read(key: 1, values: [1, 2]))) == ["G-single-realtime"])
    }

    /// A serial store with many clients; then one transaction reads what was before.
    @Test(arguments: 0..<10) func acceptsASerialStoreAndNoticesOneOldRead(_ seed: UInt64) throws {
        var random = SeededRandom(seed)
        var (lists, history, time) = ([Int: [Int]](), [ListTransaction](), UInt64(0))
        for number in 0..<1_500 {
            time += 10
            let outcomes: [ListTransaction.Outcome] = [.committed, .committed, .committed, .unknown, .aborted]
            let outcome = try #require(outcomes.randomElement(using: &random))
            let isWritten = outcome == .committed || (outcome == .unknown && .random(using: &random))
            var (steps, own) = ([Step](), lists)
            for step in 0..<Int.random(in: 1...4, using: &random) {
                let key = Int.random(in: 0..<6, using: &random)
                if Bool.random(using: &random) {
                    own[key, default: []].append(number * 10 + step)
                    steps.append(.append(key: key, value: number * 10 + step))
                } else {
                    steps.append(.read(key: key, values: own[key] ?? []))
                }
            }
            if isWritten { lists = own }
            history.append(
                ListTransaction(
                    client: 0, steps: steps, outcome: outcome, start: time - .random(in: 0...9, using: &random),
                    end: time + .random(in: 0...50, using: &random)))
        }
        #expect(ListAppendCheck.anomalies(of: history) == [])
        let readers = history.indices.filter { index in
            guard history[index].outcome == .committed, index > 300, history[index].steps.count == 1,
                case .read(_, let values) = history[index].steps[0]
            else { return false }
            return values.count > 20
        }
        let reader = try #require(readers.randomElement(using: &random))
        guard case .read(let key, let values) = history[reader].steps[0] else { return }
        history[reader].steps = [.read(key: key, values: Array(values.dropLast(15)))]
        #expect(!ListAppendCheck.anomalies(of: history).isEmpty)
    }
}
