import HeartwoodFormat
import Testing

/// Every case of the decision table.
@Suite struct TailVerdictTests {
    typealias Reason = TailVerdict.Stop.Reason

    private static let damages: [FormatError] = [
        .truncated, .wrongMagic, .checksumMismatch, .invalidField(.sequence), .invalidField(.bodyLength),
        .invalidField(.batch),
    ]
    private static let reasons: [Reason] = [.end, .zeros] + damages.map { .damage($0) }

    private func decide(_ reason: Reason, isClosed: Bool, _ proof: TailVerdict.Proof?) -> TailVerdict {
        let stop = TailVerdict.Stop(offset: 8192, reason: reason, damageOffset: 8200)
        return TailVerdict.decide(stop: stop, isClosed: isClosed, proof: proof)
    }

    @Test(arguments: reasons, [false, true])
    func aSuccessorDecidesByTheEndAlone(reason: Reason, isClosed: Bool) {
        for end in [0, 4096, 8184, 8191, 8192, 8193, 8200, .max] as [UInt64] {
            let proof = TailVerdict.Proof.successor(end: end, lastSequence: 7)
            #expect(decide(reason, isClosed: isClosed, proof) == (end == 8192 ? .intact : .corrupt(proof)), "\(end)")
        }
    }

    @Test(arguments: reasons, [false, true])
    func aMarkBeyondTheStopProvesCorruption(reason: Reason, isClosed: Bool) {
        for mark in [8193, 8200, 12_288, .max] as [UInt64] {
            let proof = TailVerdict.Proof.laterMark(offset: 12_288, mark: mark, sequence: 3)
            #expect(decide(reason, isClosed: isClosed, proof) == .corrupt(proof), "\(mark)")
        }
    }

    @Test(arguments: damages, [false, true])
    func withoutProofDamageIsTorn(damage: FormatError, isClosed: Bool) {
        #expect(decide(.damage(damage), isClosed: isClosed, nil) == .torn)
        for mark in [0, 4096, 8191, 8192] as [UInt64] {
            let proof = TailVerdict.Proof.laterMark(offset: 12_288, mark: mark, sequence: 3)
            #expect(decide(.damage(damage), isClosed: isClosed, proof) == .torn)
        }
    }

    @Test func anEndIsCleanOnlyAfterAClosingMark() {
        for reason in [.end, .zeros] as [Reason] {
            for proof in [nil, .laterMark(offset: 12_288, mark: 8192, sequence: 3)] as [TailVerdict.Proof?] {
                #expect(decide(reason, isClosed: true, proof) == .clean)
                #expect(decide(reason, isClosed: false, proof) == .unclosed)
            }
        }
    }
}
