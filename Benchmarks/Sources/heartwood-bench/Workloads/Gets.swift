internal import Heartwood
internal import Synchronization

/// One thread that reads random keys, all of which are there, and adds up the bytes of their values.
struct Gets: Workload {
    /// How a value comes back.
    enum Form: Sendable { case array, span }

    let name: String
    let title: String
    let group = WorkloadGroup.reading
    let form: Form

    func measure(_ run: Run) async throws -> Sample {
        try await FilledStore.reopened(run) { store in
            try await onThread { try Self.read(run, store, form) }
        }
    }

    /// Reads until the time is over, or until `hasEnded` says so.
    static func read(
        _ run: Run, _ store: Store, _ form: Form, until hasEnded: () -> Bool = { false }
    ) throws -> Sample {
        let keys = run.data.shuffledKeys
        var position = 0
        var count = 0
        var missing = 0
        var sum: UInt64 = 0
        let start = Ticks.now
        var now = start
        while !run.isOver(now, deadline: start + run.nanoseconds), !hasEnded() {
            for _ in 0..<Run.checkInterval {
                let key = keys[position]
                position += 1
                if position == keys.count { position = 0 }
                switch form {
                case .array:
                    if let value = try store.get(key) {
                        value.withUnsafeBytes { add($0, to: &sum) }
                    } else {
                        missing += 1
                    }
                case .span:
                    let found: Void? = try store.withValue(key) { value in
                        value.withUnsafeBytes { add($0, to: &sum) }
                    }
                    if found == nil { missing += 1 }
                }
            }
            count += Run.checkInterval
            now = Ticks.now
        }
        guard missing == 0, sum > 0 else { throw WrongResult("\(missing) of \(count) keys were not found") }
        return Sample(operations: count, seconds: Ticks.seconds(from: start, to: now))
    }

    @inline(__always)
    static func add(_ bytes: UnsafeRawBufferPointer, to sum: inout UInt64) {
        for byte in bytes { sum &+= UInt64(byte) }
    }
}

/// One thread that reads while one task overwrites, `.buffered`.
struct GetsWhileWriting: Workload {
    let name = "get-while-writing"
    let title = "get, random keys, beside one task that puts .buffered"
    let group = WorkloadGroup.reading
    var besideTitle: String? { "puts/s beside" }

    func measure(_ run: Run) async throws -> Sample {
        try await FilledStore.reopened(run) { store in
            let isRead = Signal()
            let isFull = Signal()
            async let written = write(run, store, until: isRead, isFull)
            async let reading = onThread {
                defer { isRead.raise() }
                return try Gets.read(run, store, .array, until: { isFull.isRaised })
            }
            var sample = try await reading
            sample.beside = try await written
            return sample
        }
    }

    /// Puts a second.
    private func write(_ run: Run, _ store: Store, until isRead: Signal, _ isFull: Signal) async throws -> Double {
        defer { isFull.raise() }
        var pairs = run.data.pairs()
        var count = 0
        let start = Ticks.now
        while !isRead.isRaised, count < StoreLegs.putLimit {
            for _ in 0..<Run.checkInterval {
                let (key, value) = pairs.next()
                try await store.put(key, value, durability: .buffered)
            }
            count += Run.checkInterval
        }
        return Double(count) / Ticks.seconds(from: start, to: Ticks.now)
    }
}

/// Something that has happened.
final class Signal: Sendable {
    private let raised = Atomic(false)

    var isRaised: Bool { raised.load(ordering: .relaxed) }
    func raise() { raised.store(true, ordering: .relaxed) }
}
