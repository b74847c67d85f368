import Foundation
import HeartwoodConcurrency
import HeartwoodFileSystem
import Testing

@Suite struct ConcurrencyTests {
    private struct Failure: Error, Equatable {}

    @Test func lockedStateIsUsedByOneThreadAtATime() throws {
        let counter = Locked(0)
        let threads = try (0..<4).map { index in
            try startThread(name: "count \(index)") {
                for _ in 0..<20_000 { counter.withLock { $0 += 1 } }
            }
        }
        for thread in threads { thread.join() }
        #expect(counter.withLock { $0 } == 80_000)
    }

    @Test func lockIsReleasedWhenTheBodyThrows() {
        let locked = Locked([1])
        #expect(throws: Failure()) {
            try locked.withLock { state throws(Failure) in
                state.append(2)
                throw Failure()
            }
        }
        #expect(locked.withLock { $0 } == [1, 2])
        let condition = ConditionLock(1)
        #expect(throws: Failure()) { try condition.withLock { _ throws(Failure) in throw Failure() } }
        #expect(condition.withLock { $0.state } == 1)
    }

    @Test func locksReleaseTheirState() {
        final class Token: Sendable {}
        weak var first: Token?
        weak var second: Token?
        do {
            let locked = Locked(Token())
            let condition = ConditionLock(Token())
            first = locked.withLock { $0 }
            second = condition.withState { $0 }
            #expect(first != nil && second != nil)
            withExtendedLifetime((locked, condition)) {}
        }
        #expect(first == nil && second == nil)
    }

    @Test func conditionPassesEveryElementOnce() throws {
        let queue = ConditionLock(FIFOQueue<Int?>())
        let sums = Locked([Int]())
        let consumers = try (0..<3).map { index in
            try startThread(name: "consume \(index)") {
                var sum = 0
                while true {
                    let element = queue.withLock { held in
                        while held.state.isEmpty { held.wait() }
                        return held.state.popFirst()!
                    }
                    guard let element else { break }
                    sum += element
                }
                sums.withLock { $0.append(sum) }
            }
        }
        for number in 1...10_000 {
            queue.withLock { $0.state.append(number) }
            queue.signal()
        }
        for _ in consumers { queue.withLock { $0.state.append(nil) } }
        queue.broadcast()
        for consumer in consumers { consumer.join() }
        #expect(sums.withLock { $0 }.reduce(0, +) == 50_005_000)
    }

    @Test func waitsEndWithTheirTime() {
        let condition = ConditionLock(false)
        let clock = ContinuousClock()
        let start = clock.now
        var timedOut = false
        while !timedOut {
            timedOut = condition.withLock { held in !held.wait(timeoutNanoseconds: 20_000_000) }
        }
        #expect(clock.now - start >= .milliseconds(19))
        #expect(condition.withLock { held in !held.wait(timeoutNanoseconds: 0) })
    }

    @Test func theLongestWaitIsStillAWait() throws {
        let condition = ConditionLock(false)
        let waiter = try startThread(name: "wait") {
            condition.withLock { held in
                while !held.state { held.wait(timeoutNanoseconds: .max) }
            }
        }
        condition.withLock { held in
            held.state = true
            held.signal()
        }
        waiter.join()
    }

    @Test func queueKeepsTheOrder() {
        var queue = FIFOQueue<Int>()
        var next = 0
        for number in 0..<100 {
            queue.append(number)
            if number % 3 == 0 {
                #expect(queue.popFirst() == next)
                next += 1
            }
        }
        #expect(queue.count == 100 - next)
        while let element = queue.popFirst() {
            #expect(element == next)
            next += 1
        }
        #expect(next == 100 && queue.isEmpty)
    }

    @Test func threadsHaveNamesAndTakeNoSignals() throws {
        let name = Locked("")
        let blocks = Locked([Bool]())
        try startThread(name: "a name that is too long") {
            name.withLock { $0 = currentThreadName() }
            var signals = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &signals)
            blocks.withLock { $0 = [SIGTERM, SIGALRM, SIGSEGV].map { sigismember(&signals, $0) == 1 } }
        }.join()
        #expect(name.withLock { $0 } == "a name that is ")
        #expect(blocks.withLock { $0 } == [true, true, false])
    }
}

/// The system's name for the calling thread.
private func currentThreadName() -> String {
    #if canImport(Darwin)
    var buffer = [CChar](repeating: 0, count: 64)
    pthread_getname_np(pthread_self(), &buffer, buffer.count)
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    #else
    let file = try? POSIXFileSystem().openFile("/proc/thread-self/comm", for: .read)
    let line = (try? file?.bytes(64)) ?? []
    return String(decoding: line.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    #endif
}
