import HeartwoodConcurrency
import Testing

@Suite struct WorkerPoolTests {
    private struct Failure: Error {}

    @Test func returnsAndThrows() async {
        #expect(await BlockingPool.run { 42 } == 42)
        await #expect(throws: Failure.self) { try await BlockingPool.run { () throws(Failure) in throw Failure() } }
    }

    @Test func manyJobsAllRun() async {
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 1...500 { group.addTask { await BlockingPool.run { number } } }
            return await group.reduce(0, +)
        }
        #expect(sum == 125_250)
    }

    @Test func cancellationDoesNotInterrupt() async {
        let task = Task { await BlockingPool.run { "done" } }
        task.cancel()
        #expect(await task.value == "done")
    }

    @Test func oneThreadKeepsTheOrder() {
        let pool = WorkerPool(name: "test", maximumThreads: 1, idleNanoseconds: 1_000_000)
        let seen = ConditionLock([Int]())
        for number in 0..<1000 {
            pool.submit {
                seen.withLock { held in
                    held.state.append(number)
                    held.signal()
                }
            }
        }
        seen.withLock { held in
            while held.state.count < 1000 { held.wait() }
            #expect(held.state == Array(0..<1000))
        }
    }

    @Test func threadsAreBoundedStartedOnDemandAndExit() {
        let pool = WorkerPool(name: "test", maximumThreads: 3, idleNanoseconds: 1_000_000)
        #expect(pool.threadCount == 0)
        let gate = ConditionLock((running: 0, isOpen: false, done: 0))
        let job: @Sendable () -> Void = {
            gate.withLock { held in
                held.state.running += 1
                held.broadcast()
                while !held.state.isOpen { held.wait() }
                held.state.done += 1
                held.broadcast()
            }
        }
        for _ in 0..<8 { pool.submit(job) }
        gate.withLock { held in
            while held.state.running < 3 { held.wait() }
            #expect(held.state.running == 3)
        }
        #expect(pool.threadCount == 3)
        gate.withLock { held in
            held.state.isOpen = true
            held.broadcast()
            while held.state.done < 8 { held.wait() }
        }
        let pause = ConditionLock(())
        for _ in 0..<1000 where pool.threadCount > 0 {
            pause.withLock { held in _ = held.wait(timeoutNanoseconds: 5_000_000) }
        }
        #expect(pool.threadCount == 0)
        // A new job starts a thread again.
        gate.withLock { $0.state.done = 0 }
        pool.submit(job)
        gate.withLock { held in
            while held.state.done < 1 { held.wait() }
        }
    }
}
