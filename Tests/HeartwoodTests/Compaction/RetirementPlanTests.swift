import Testing

@testable import Heartwood

/// When replaced files can go: every order in which things may happen.
@Suite struct RetirementPlanTests {
    @Test func oneThingAfterTheOther() {
        var plan = RetirementPlan()
        #expect(plan.next(visible: .max - 1) { _ in true } == .wait, "nothing was moved yet")
        plan.moved(lowestKept: nil, upTo: 80, newest: 100)
        #expect(plan.next(visible: 99) { _ in true } == .wait)
        #expect(plan.next(visible: 100) { _ in true } == .endPinEpoch)
        plan.ended(7)
        #expect(plan.next(visible: 100) { $0 != 7 } == .wait)
        #expect(plan.next(visible: 100) { $0 == 7 } == .drop)
    }

    @Test func whatWasKeptIsMovedWhenItsHoldersAreGone() {
        var plan = RetirementPlan()
        plan.moved(lowestKept: 70, upTo: 80, newest: 100)
        #expect(plan.next(visible: 100) { _ in true } == .endPinEpoch)
        plan.ended(7)
        #expect(plan.next(visible: 100) { _ in false } == .wait)
        #expect(plan.next(visible: 100) { _ in true } == .move)
        // Who took a hold since may have come upon what was just moved: an era of its own.
        plan.moved(lowestKept: 81, upTo: 80, newest: 200)
        #expect(plan.next(visible: 150) { _ in true } == .wait)
        #expect(plan.next(visible: 250) { _ in true } == .endPinEpoch)
        plan.ended(9)
        #expect(plan.next(visible: 250) { $0 < 9 } == .wait)
        #expect(plan.next(visible: 250) { _ in true } == .drop)
    }

    /// Later moves, for later snapshots, don't begin anew what was all but done.
    @Test func whatWasMovedStaysMoved() {
        var plan = RetirementPlan()
        plan.moved(lowestKept: nil, upTo: 80, newest: 100)
        plan.ended(7)
        plan.moved(lowestKept: 60, upTo: 80, newest: 300)
        #expect(plan.next(visible: 100) { $0 == 7 } == .drop)
    }
}
