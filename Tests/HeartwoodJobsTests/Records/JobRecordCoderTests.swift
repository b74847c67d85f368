import HeartwoodRepository
import HeartwoodTesting
import Testing

@testable import HeartwoodJobs

@Suite("Stored form of jobs")
struct JobRecordCoderTests {
    static func random(_ random: inout SeededRandom) -> JobRecord {
        func text(_ random: inout SeededRandom) -> String {
            String((0..<random.below(40)).map { _ in random.pick(["a", "é", "\u{0}", "👩‍💻", "z"]) }.joined())
        }
        func number(_ random: inout SeededRandom) -> UInt64 { random.next() >> UInt64(1 + random.below(63)) }
        var job = JobRecord(
            id: JobIDs().make(1, now: Timestamp(milliseconds: number(&random) >> 16))[0], kind: text(&random),
            payload: (0..<random.below(60)).map { _ in UInt8(random.below(256)) },
            enqueued: Timestamp(milliseconds: number(&random)), due: Timestamp(milliseconds: number(&random)),
            priority: JobPriority(rawValue: UInt8(random.below(256))),
            retry: JobRetry(
                limit: 1 + random.below(1 << 31), first: .milliseconds(number(&random) >> 8),
                longest: .milliseconds(number(&random) >> 8)),
            uniqueKey: random.oneIn(2) ? text(&random) : nil)
        job.state = random.pick([.waiting, .running, .dead])
        job.attempt = random.below(1 << 31)
        job.failures = random.below(1 << 20)
        job.token = number(&random)
        job.failure = random.oneIn(2) ? text(&random) : nil
        return job
    }

    @Test("what is written is read")
    func roundTrip() throws {
        for seed in 1...2_000 as ClosedRange<UInt64> {
            var random = SeededRandom(seed, 1)
            let job = Self.random(&random)
            #expect(try decoded(JobRecordCoder.encode(job)) == job, "seed \(seed)")
        }
    }

    @Test("damaged bytes are an error or another job, and never a trap")
    func damage() throws {
        var errors = 0
        for seed in 1...20_000 as ClosedRange<UInt64> {
            var random = SeededRandom(seed, 2)
            var bytes = JobRecordCoder.encode(Self.random(&random))
            switch random.below(4) {
            case 0: bytes.removeLast(1 + random.below(bytes.count))
            case 1: bytes = (0..<random.below(120)).map { _ in UInt8(random.below(256)) }
            case 2: bytes.insert(contentsOf: [0xFF, 0xFF, 0xFF, 0xFF], at: random.below(bytes.count))
            default: for _ in 0...random.below(4) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            }
            if try isRefused(bytes, seed) { errors += 1 }
        }
        #expect(errors > 2_000)
    }

    private func decoded(_ bytes: [UInt8]) throws -> JobRecord? {
        do {
            return try JobRecordCoder().decode(JobRecord.self, from: bytes.span.bytes)
        } catch {
            let code = (error as? StoreError)?.code
            guard code == .corruption || code == .unsupportedFormat else { throw error }
            return nil
        }
    }

    private func isRefused(_ bytes: [UInt8], _ seed: UInt64) throws -> Bool {
        guard let job = try decoded(bytes) else { return true }
        // Whatever was read can be used.
        _ = job.after(.claim(token: 1, lease: .seconds(30)), now: job.time)
        let claim = JobClaim(attempt: job.attempt, token: job.token)
        for event in [HeldEvent.fail("x", jitter: 1), .renew(lease: .seconds(1)), .snooze(.seconds(1))] {
            _ = job.after(.held(claim, event), now: job.time)
        }
        #expect(try decoded(JobRecordCoder.encode(job)) == job, "seed \(seed)")
        return false
    }

    @Test("a length that claims more than there is takes no memory")
    func claims() throws {
        var bytes = [UInt8](repeating: 0, count: 19)
        bytes[0] = 1
        bytes += [1, 1, 1, 1, 1, 1, 1, 1]
        bytes += [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
        #expect(try decoded(bytes) == nil)
    }

    @Test("ids rise, also within a millisecond and when the clock goes back")
    func ids() {
        let ids = JobIDs()
        var all: [JobID] = []
        for milliseconds in [5, 5, 6, 4, 4, 7, 7] as [UInt64] {
            all += ids.make(3_000, now: Timestamp(milliseconds: milliseconds))
        }
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.description < $1.description })
        #expect(JobID(all[0].description) == all[0])
        #expect(JobID("no") == nil)
    }
}
