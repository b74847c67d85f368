@testable import Heartwood
import Testing

/// Every order in which callers and the log writer can ask for the turn, to some depth.
@Suite struct WriteTurnTests {
    /// What happens next.
    private enum Step: CaseIterable { case callerAsks, writerAsks, callerIsDone, writerIsDone }

    @Test func oneWritesAtATimeAndTheWriterIsNext() {
        var states: Set<WriteTurn> = [WriteTurn()]
        var seen = states
        while !states.isEmpty {
            var next: Set<WriteTurn> = []
            for turn in states {
                for step in Step.allCases { if let after = take(step, turn) { next.insert(after) } }
            }
            states = next.subtracting(seen)
            seen.formUnion(next)
        }
        // Nobody, the writer, a caller; and a caller, or nobody after it, while the writer waits.
        #expect(seen.count == 5)
    }

    private func take(_ step: Step, _ turn: WriteTurn) -> WriteTurn? {
        var after = turn
        switch step {
        case .callerAsks:
            let isTaken = after.takeAsCaller()
            #expect(isTaken == (turn.holder == .nobody && !turn.isAwaited))
            #expect(after.holder == (isTaken ? .caller : turn.holder))
            #expect(after.isAwaited == turn.isAwaited)
        case .writerAsks:
            // The log writer asks for the turn only once it has given it back.
            guard turn.holder != .writer else { return nil }
            let isTaken = after.takeAsWriter()
            #expect(isTaken == (turn.holder == .nobody))
            #expect(after.isAwaited == !isTaken)
            #expect(after.holder == (isTaken ? .writer : .caller))
        case .callerIsDone:
            guard turn.holder == .caller else { return nil }
            after.giveBack()
            #expect(after.holder == .nobody && after.isAwaited == turn.isAwaited)
        case .writerIsDone:
            guard turn.holder == .writer else { return nil }
            after.giveBack()
            #expect(after.holder == .nobody && !after.isAwaited)
        }
        return after
    }
}
