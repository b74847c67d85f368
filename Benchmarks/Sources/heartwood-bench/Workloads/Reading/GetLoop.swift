/// The loop of every workload that gets, of every engine.
enum GetLoop {
    /// Gets random keys until the time is over, or until `hasEnded` says so.
    ///
    /// - Parameters:
    ///   - seed: Which keys; another one for each thread.
    ///   - isChecked: Whether the values are known, so that their sum is; not where something else overwrites them.
    ///   - get: Gets the key (of that number), adds the bytes of the value up, and says whether the key is there.
    @inline(__always)
    static func read(
        _ run: Run, seed: UInt64, isChecked: Bool = true, until hasEnded: () -> Bool = { false },
        _ get: (_ key: [UInt8], _ number: Int, _ sum: inout UInt64) throws -> Bool
    ) throws -> Sample {
        let keys = run.data.keys()
        let numbers = RandomNumbers(below: run.data.keyCount, seed: seed)
        var next = numbers
        var key = keys.makeBuffer()
        var (count, missing, sum): (Int, Int, UInt64) = (0, 0, 0)
        let start = Ticks.now
        var now = start
        while !run.isOver(now, deadline: start + run.nanoseconds), !hasEnded() {
            for _ in 0..<Run.checkInterval {
                let number = next.next()
                keys.write(number, to: &key)
                if try !get(key, number, &sum) { missing += 1 }
            }
            count += Run.checkInterval
            now = Ticks.now
        }
        let sample = Sample(operations: count, seconds: Ticks.seconds(from: start, to: now))
        guard missing == 0 else { throw WrongResult("\(missing) of \(count) keys were not found") }
        if isChecked { try check(sum, run.data.sum(of: count, chosenBy: numbers)) }
        return sample
    }

    /// Ends a run whose values weren't those that were put.
    static func check(_ sum: UInt64, _ expected: UInt64) throws {
        guard sum == expected else {
            throw WrongResult("the values' bytes add up to \(sum), and \(expected) were put: they are wrong")
        }
    }
}
