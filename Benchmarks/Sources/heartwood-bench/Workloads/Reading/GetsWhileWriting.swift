internal import Heartwood

/// One thread that gets while one task overwrites, `.buffered`, both as fast as they can.
struct GetsWhileWriting: Workload {
    let name: String
    let title: String
    let group = WorkloadGroup.beside
    let mode: ReadingMode
    var targets: [Target] = []
    var besideTitle: String? { "writer's puts/s" }

    func measure(_ run: Run) async throws -> Sample {
        let path = try await FilledStore.copy(run)
        let sample = try await FilledStore.opened(path, mode, isCompacted: true) { store in
            let isRead = Signal()
            let isFull = Signal()
            async let written = write(run, store, until: isRead, isFull)
            async let reading = onThread {
                defer { isRead.raise() }
                return try Gets.read(run, store, .lent, seed: 0, isChecked: false, until: { isFull.isRaised })
            }
            var sample = try await reading
            sample.beside = try await written
            return sample
        }
        try run.directory.remove(path)
        return sample
    }

    /// Puts a second.
    private func write(_ run: Run, _ store: Store, until isRead: Signal, _ isFull: Signal) async throws -> Double {
        defer { isFull.raise() }
        var pairs = run.data.pairs()
        var count = 0
        let start = Ticks.now
        while !isRead.isRaised, count < StoreLegs.putLimit {
            for _ in 0..<Run.checkInterval {
                pairs.advance()
                try await store.put(pairs.key, pairs.value, durability: .buffered)
            }
            count += Run.checkInterval
        }
        return Double(count) / Ticks.seconds(from: start, to: Ticks.now)
    }
}
