import Testing

@testable import Heartwood

/// When replaced files can be removed, in every possible order of events.
@Suite struct RetirementPlanTests {
    @Test func eventsInOrder() {
        var plan = RetirementPlan()
        #expect(plan.next(visible: .max - 1) { _ in true } == .wait, "nothing was moved yet")
        plan.moved(lowestKept: nil, upTo: 80, newest: 100)
        #expect(plan.next(visible: 99) { _ in true } == .wait)
        #expect(plan.next(visible: 100) { _ in true } == .endPinEpoch)
        plan.ended(7)
        #expect(plan.next(visible: 100) { $0 != 7 } == .wait)
        #expect(plan.next(visible: 100) { $0 == 7 } == .drop)
    }

    @Test func keptVersionsAreMovedWhenTheirPinsAreReleased() {
        var plan = RetirementPlan()
        plan.moved(lowestKept: 70, upTo: 80, newest: 100)
        #expect(plan.next(visible: 100) { _ in true } == .endPinEpoch)
        plan.ended(7)
        #expect(plan.next(visible: 100) { _ in false } == .wait)
        #expect(plan.next(visible: 100) { _ in true } == .move)
        // A pin taken since may have found the versions just moved: they need an epoch of their own.
        plan.moved(lowestKept: 81, upTo: 80, newest: 200)
        #expect(plan.next(visible: 150) { _ in true } == .wait)
        #expect(plan.next(visible: 250) { _ in true } == .endPinEpoch)
        plan.ended(9)
        #expect(plan.next(visible: 250) { $0 < 9 } == .wait)
        #expect(plan.next(visible: 250) { _ in true } == .drop)
    }

    /// A later move, for a later snapshot, doesn't restart a plan that is nearly complete.
    @Test func aLaterMoveRestartsNothing() {
        var plan = RetirementPlan()
        plan.moved(lowestKept: nil, upTo: 80, newest: 100)
        plan.ended(7)
        plan.moved(lowestKept: 60, upTo: 80, newest: 300)
        #expect(plan.next(visible: 100) { $0 == 7 } == .drop)
    }
}
