import HeartwoodTesting
import Testing

@testable import cluster_campaign

/// The check of registers finds what it should, and nothing else.
@Suite struct LinearizabilityTests {
    private static func operation(
        _ call: RegisterOperation.Call, _ start: UInt64, _ end: UInt64?, client: Int = 0
    ) -> RegisterOperation {
        RegisterOperation(client: client, call: call, start: start, end: end)
    }

    private static let unknownWrite = operation(.write(1), 0, nil)
    private static let creation = operation(.compareAndSet(expected: nil, new: 1, succeeded: true), 0, 1)
    private static let unknownChange = operation(.compareAndSet(expected: 1, new: 2, succeeded: nil), 2, nil)

    static let ordered: [[RegisterOperation]] = [
        [], [operation(.read(nil), 0, 1)],
        [operation(.write(1), 0, 10), operation(.read(1), 5, 6), operation(.read(1), 7, 20)],
        [operation(.write(1), 0, 10), operation(.read(nil), 5, 6), operation(.read(1), 7, 20)],
        // Two writes at the same time, in either order.
        [operation(.write(1), 0, 10), operation(.write(2), 0, 10), operation(.read(1), 11, 12)],
        [operation(.write(1), 0, 10), operation(.write(2), 0, 10), operation(.read(2), 11, 12)],
        // An end and a start at the same moment overlap.
        [operation(.write(1), 0, 5), operation(.read(nil), 5, 6)],
        // An unknown write may happen later, or never.
        [unknownWrite, operation(.read(nil), 5, 6)],
        [unknownWrite, operation(.read(nil), 5, 6), operation(.read(1), 7, 8)],
        [creation, operation(.compareAndSet(expected: nil, new: 2, succeeded: false), 2, 3)],
        [creation, unknownChange, operation(.read(1), 4, 5), operation(.read(2), 6, 7)],
    ]

    @Test(arguments: ordered) func acceptsWhatCanBeOrdered(_ history: [RegisterOperation]) {
        #expect(LinearizabilityCheck.check(history) == .linearizable)
    }

    static let unordered: [[RegisterOperation]] = [
        // A stale read.
        [operation(.write(1), 0, 1), operation(.read(nil), 2, 3)],
        [operation(.write(1), 0, 1), operation(.write(2), 2, 3), operation(.read(1), 4, 5)],
        // A read of something never written, and one from the future.
        [operation(.write(1), 0, 9), operation(.read(2), 1, 2)],
        [operation(.read(1), 0, 1), operation(.write(1), 2, 3)],
        // Reads that go back.
        [operation(.write(1), 0, 20), operation(.read(1), 2, 3), operation(.read(nil), 4, 5)],
        // An unknown write that is undone.
        [unknownWrite, operation(.read(1), 5, 6), operation(.read(nil), 7, 8)],
        // Two creations of one key.
        [creation, operation(.compareAndSet(expected: nil, new: 2, succeeded: true), 2, 3)],
        // A refusal without a reason.
        [creation, operation(.compareAndSet(expected: 1, new: 2, succeeded: false), 2, 3)],
        [creation, unknownChange, operation(.read(2), 4, 5), operation(.read(1), 6, 7)],
    ]

    @Test(arguments: unordered) func findsWhatCannotBeOrdered(_ history: [RegisterOperation]) {
        guard case .notLinearizable = LinearizabilityCheck.check(history) else {
            Issue.record("accepted")
            return
        }
    }

    @Test func namesWhatCannotBePlaced() throws {
        let stale = Self.operation(.read(1), 4, 5)
        let result = LinearizabilityCheck.check([
            Self.operation(.write(1), 0, 1), Self.operation(.write(2), 2, 3), stale, Self.operation(.read(2), 6, 7),
        ])
        #expect(result == .notLinearizable(stuck: [stale]))
    }

    @Test func givesUpAfterTheSteps() {
        let writes = (0..<12).map { Self.operation(.write($0), 0, 100) }
        let result = LinearizabilityCheck.check(writes + [Self.operation(.read(99), 1, 99)], steps: 1_000)
        #expect(result == .undecided(steps: 1_000))
    }

    /// Small histories, where all orders can be tried.
    @Test(arguments: 0..<40) func agreesWithTryingAllOrders(_ seed: UInt64) {
        var random = SeededRandom(seed)
        for _ in 0..<50 {
            let history = (0..<6).map { number in
                let start = UInt64.random(in: 0..<12, using: &random)
                let end = Int.random(in: 0..<8, using: &random) == 0 ? nil : start + .random(in: 0..<8, using: &random)
                let value = Bool.random(using: &random) ? nil : Int.random(in: 0..<2, using: &random)
                let call: RegisterOperation.Call =
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: .read(value)
                    case 1: .write(value)
                    default:
                        .compareAndSet(
                            expected: value, new: .random(in: 0..<2, using: &random),
                            succeeded: end == nil ? nil : .random(using: &random))
                    }
                return Self.operation(call, start, end, client: number)
            }
            let expected = canBeOrdered(history)
            #expect((LinearizabilityCheck.check(history) == .linearizable) == expected, "\(history)")
        }
    }

    /// Long histories of a real register with many clients are accepted, and rejected with one wrong read.
    @Test(arguments: 0..<10) func acceptsARegisterAndNoticesOneWrongRead(_ seed: UInt64) throws {
        var random = SeededRandom(seed)
        var (value, history, time) = (Int?.none, [RegisterOperation](), UInt64(0))
        for number in 0..<2_000 {
            // It happens at `time`, and takes longer than until the next ones begin.
            time += 10
            let (start, end) = (
                time - .random(in: 0...min(time, 60), using: &random), time + .random(in: 0...60, using: &random)
            )
            if Bool.random(using: &random) {
                value = number
                history.append(Self.operation(.write(number), start, end))
            } else {
                history.append(Self.operation(.read(value), start, end))
            }
        }
        #expect(LinearizabilityCheck.check(history) == .linearizable)
        let reads = history.indices.filter { if case .read = history[$0].call { $0 > 1_000 } else { false } }
        let wrong = try #require(reads.randomElement(using: &random))
        let old = try #require(
            history[..<500].compactMap { if case .write(let value) = $0.call { value } else { nil } }.last)
        history[wrong].call = .read(old)
        let result = LinearizabilityCheck.check(history)
        guard case .notLinearizable(let stuck) = result else {
            Issue.record("a read of an old value was accepted: \(result)")
            return
        }
        #expect(stuck.contains(history[wrong]))
    }

    private func canBeOrdered(_ history: [RegisterOperation]) -> Bool {
        func place(_ left: [RegisterOperation], _ value: Int?) -> Bool {
            let certain = left.filter { $0.end != nil }
            if certain.isEmpty { return true }
            let firstEnd = certain.compactMap(\.end).min() ?? .max
            for (index, next) in left.enumerated() where next.start <= firstEnd {
                var rest = left
                rest.remove(at: index)
                let after: Int??
                switch next.call {
                case .read(let result): after = next.end == nil || result == value ? .some(value) : nil
                case .write(let new): after = .some(new)
                case .compareAndSet(let expected, let new, let succeeded):
                    let succeeds = value == expected
                    after = succeeded ?? succeeds == succeeds ? .some(succeeds ? new : value) : nil
                }
                if let after, place(rest, after) { return true }
            }
            return false
        }
        return place(history, nil)
    }
}
