import HeartwoodTesting
import Testing

@testable import cluster_campaign

/// The check of lists finds planted anomalies, and nothing in the histories of a serial store.
@Suite struct ListAppendTests {
    typealias Step = ListTransaction.Step

    /// A transaction at a moment; those with later moments begin after it has ended.
    private static func transaction(
        _ time: UInt64, _ outcome: ListTransaction.Outcome = .committed, _ steps: Step..., lasts: UInt64 = 1
    ) -> ListTransaction {
        ListTransaction(client: 0, steps: steps, outcome: outcome, start: time * 10, end: time * 10 + lasts)
    }

    private static func append(_ key: Int, _ value: Int) -> Step { .append(key: key, value: value) }
    private static func read(_ key: Int, _ values: [Int]) -> Step { .read(key: key, values: values) }

    @Test func acceptsASerialHistory() {
        let history = [
            Self.transaction(1, .committed, Self.append(1, 1)), Self.transaction(2, .aborted, Self.append(1, 9)),
            Self.transaction(3, .committed, Self.read(1, [1]), Self.append(1, 2)),
            Self.transaction(4, .unknown, Self.append(1, 3)),
            Self.transaction(5, .committed, Self.append(2, 1), Self.read(2, [1])),
            Self.transaction(6, .committed, Self.read(1, [1, 2, 3]), Self.read(2, [1])),
        ]
        #expect(ListAppendCheck.problems(history) == [])
    }

    /// What a history must be found to contain; of a cycle its name.
    static let anomalies: [(problem: String, history: [ListTransaction])] = [
        (
            "list 1 has 1, which transaction 0 appended and was aborted",
            [transaction(1, .aborted, append(1, 1)), transaction(2, .committed, read(1, [1]))]
        ),
        ("list 1 has 7, which is unknown", [transaction(1, .committed, read(1, [7]))]),
        (
            "transaction 1 read list 1 up to 1, in the middle of a transaction",
            [
                transaction(1, .committed, append(1, 1), append(1, 2), lasts: 90),
                transaction(2, .committed, read(1, [1])), transaction(9, .committed, read(1, [1, 2])),
            ]
        ),
        (
            "list 1 has 1 twice",
            [transaction(1, .committed, append(1, 1)), transaction(2, .committed, read(1, [1, 1]))]
        ),
        (
            "list 1 was read as [1, 2] and as [2, 1]",
            [
                transaction(1, .committed, append(1, 1)), transaction(1, .committed, append(1, 2)),
                transaction(2, .committed, read(1, [1, 2])), transaction(3, .committed, read(1, [2, 1])),
            ]
        ),
        (
            "transaction 0 doesn't see its own appends, or sees them change",
            [transaction(1, .committed, append(1, 1), read(1, []))]
        ),
        // A lost append.
        ("G-single-realtime", [transaction(1, .committed, append(1, 1)), transaction(2, .committed, read(1, []))]),
        // A lost update: both have read the empty list, and both have appended.
        (
            "G-single",
            [
                transaction(1, .committed, read(1, []), append(1, 1), lasts: 90),
                transaction(2, .committed, read(1, []), append(1, 2), lasts: 90),
                transaction(50, .committed, read(1, [1, 2])),
            ]
        ),
        // Write skew.
        (
            "G2",
            [
                transaction(1, .committed, read(1, []), append(2, 2), lasts: 90),
                transaction(2, .committed, read(2, []), append(1, 1), lasts: 90),
                transaction(50, .committed, read(1, [1]), read(2, [2])),
            ]
        ),
        // A cycle of writes.
        (
            "G0",
            [
                transaction(1, .committed, append(1, 1), append(2, 1), lasts: 90),
                transaction(2, .committed, append(1, 2), append(2, 2), lasts: 90),
                transaction(50, .committed, read(1, [1, 2]), read(2, [2, 1])),
            ]
        ),
        // Circular information.
        (
            "G1c",
            [
                transaction(1, .committed, append(1, 1), read(2, [1]), lasts: 90),
                transaction(2, .committed, append(2, 1), read(1, [1]), lasts: 90),
            ]
        ),
        // A fractured read: it sees the append to one list of a transaction, and not that to the other.
        (
            "G-single",
            [
                transaction(1, .committed, append(1, 1), append(2, 1), lasts: 90),
                transaction(2, .committed, read(1, [1]), read(2, []), lasts: 90),
                transaction(50, .committed, read(2, [1])),
            ]
        ),
        // A stale read.
        (
            "G-single-realtime",
            [
                transaction(1, .committed, append(1, 1)), transaction(2, .committed, append(1, 2)),
                transaction(3, .committed, read(1, [1])), transaction(4, .committed, read(1, [1, 2])),
            ]
        ),
    ]

    @Test(arguments: anomalies) func findsAnAnomaly(_ problem: String, _ history: [ListTransaction]) {
        #expect(ListAppendCheck.problems(history).map { String($0.prefix { $0 != ":" }) } == [problem])
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
        #expect(ListAppendCheck.problems(history) == [])
        let readers = history.indices.filter { index in
            guard history[index].outcome == .committed, index > 300, history[index].steps.count == 1,
                case .read(_, let values) = history[index].steps[0]
            else { return false }
            return values.count > 20
        }
        let reader = try #require(readers.randomElement(using: &random))
        guard case .read(let key, let values) = history[reader].steps[0] else { return }
        history[reader].steps = [.read(key: key, values: Array(values.dropLast(15)))]
        #expect(!ListAppendCheck.problems(history).isEmpty)
    }
}
