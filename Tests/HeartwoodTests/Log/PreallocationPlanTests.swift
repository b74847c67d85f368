import Testing

@testable import Heartwood

@Suite struct PreallocationPlanTests {
    @Test(arguments: [16 << 10, 100_000, 64 << 20] as [UInt64], [0, 5_000, 3 << 20, 200 << 20] as [UInt64])
    func preallocatesAheadAndNeverBeyondTheLimit(limit: UInt64, need: UInt64) {
        var plan = PreallocationPlan(limit: limit, need: need)
        #expect(plan.fits(to: 4096 + need))
        var end: UInt64 = 4096
        if let range = plan.nextAllocation(end: end, need: end + need) {
            #expect(range.lowerBound == 0)
            plan.allocated(to: range.upperBound)
        }
        #expect(plan.hasSpace(to: end + need), "the first commit fits")
        while plan.fits(to: end + 1_000) {
            end += 1_000
            if let range = plan.nextAllocation(end: end, need: end) {
                #expect(range.lowerBound == plan.allocatedEnd && range.upperBound <= plan.limit)
                plan.allocated(to: range.upperBound)
            }
            #expect(plan.hasSpace(to: end), "preallocated up to \(end)")
            if let zeros = plan.nextZeroing(end: end) {
                #expect(zeros.lowerBound >= end && zeros.upperBound <= plan.allocatedEnd)
                plan.zeroed(to: zeros.upperBound)
            }
        }
        #expect(plan.allocatedEnd <= plan.limit)
    }

    /// The populated part is allocated, ahead of the commits, and never much larger than the used part.
    @Test(arguments: [16 << 10, 100_000, 64 << 20] as [UInt64])
    func populatesAheadInGrowingSteps(limit: UInt64) {
        var plan = PreallocationPlan(limit: limit, need: 0)
        var end: UInt64 = 4096
        var stored = 0
        while plan.fits(to: end + 1_000) {
            if let range = plan.nextAllocation(end: end, need: end) { plan.allocated(to: range.upperBound) }
            if end > plan.nextDue(end: end, hasSpare: true) || plan.populatedEnd == 0,
                let range = plan.nextPopulating(end: end)
            {
                #expect(range.lowerBound >= plan.populatedEnd && range.upperBound <= plan.allocatedEnd)
                plan.populated(to: range.upperBound)
            }
            #expect(plan.populatedEnd <= (256 << 10) + 4 * end)
            if let zeros = plan.nextZeroing(end: end) { #expect(zeros.lowerBound >= plan.populatedEnd) }
            end += 1_000
            if plan.isPopulated(to: end) { stored += 1 }
        }
        #expect(stored > Int(end / 1_000) * 9 / 10 - 8)
    }
}
