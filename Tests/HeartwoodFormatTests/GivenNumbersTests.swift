import HeartwoodFormat
import Testing

/// Which of the missing sequence numbers were assigned to batches.
@Suite struct GivenNumbersTests {
    private typealias Lost = GivenNumbers.Lost
    private let epoch = FormatConstants.sequenceEpoch

    private func log(_ first: UInt64, after last: UInt64?) -> FileHeader {
        FileHeader(
            kind: .log, storeID: StoreID(low: 1, high: 2), salt: 7, firstSequence: first,
            predecessor: last.map { FileHeader.Predecessor(salt: 6, lastSequence: $0, endOffset: 4096) },
            creationTime: 0)
    }

    @Test func numbersBetweenSegmentsWereAssigned() {
        let given = GivenNumbers([log(1, after: nil), log(51, after: 50), log(71, after: 70)])
        #expect(given.lost(in: 51...70) == [Lost(51...70, isExact: true)])
        #expect(given.lost(in: 1...1) == [Lost(1...1, isExact: true)])
    }

    @Test func numbersThatAnOpeningSkippedWereNot() {
        let given = GivenNumbers([log(1, after: nil), log(epoch, after: 50)])
        #expect(given.lost(in: 51...epoch - 1).isEmpty)
        #expect(given.lost(in: 40...epoch - 1) == [Lost(40...50, isExact: true)])
        #expect(
            given.lost(in: 40...epoch + 3) == [Lost(40...50, isExact: true), Lost(epoch...epoch + 3, isExact: true)])
    }

    /// Two segments are missing: one with the numbers from 51 on, and the first one after a crash.
    @Test func whereAnEpochEndedIsNotKnownWithoutAHeader() {
        let given = GivenNumbers([log(1, after: nil), log(epoch + 6, after: epoch + 5)])
        #expect(
            given.lost(in: 51...epoch + 5) == [
                Lost(51...epoch - 1, isExact: false), Lost(epoch...epoch + 5, isExact: true),
            ])
    }

    /// The missing segment was empty: its successor records only the number that precedes its first.
    @Test func aMissingEmptySegmentLosesNothing() {
        let given = GivenNumbers([log(1, after: nil), log(2 * epoch, after: epoch - 1)])
        #expect(given.lost(in: 51...2 * epoch - 1) == [Lost(51...epoch - 1, isExact: false)])
    }

    @Test func theFirstSegmentOfARepairedStoreBeginsAnywhere() {
        #expect(GivenNumbers([log(900, after: nil)]).lost(in: 1...899).isEmpty)
        #expect(GivenNumbers([]).lost(in: 1...899) == [Lost(1...899, isExact: true)])
    }
}
