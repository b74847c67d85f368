internal import Heartwood

/// Threads that read random keys, all of which are there, and add up the bytes of their values.
struct Gets: Workload {
    /// How a value comes back.
    enum Form: Sendable {
        /// As an array.
        case returned
        /// Lent to a closure.
        case lent
        /// As arrays, for that many keys a call; a divisor of `Run.checkInterval`.
        case together(Int)
    }

    let name: String
    let title: String
    var group = WorkloadGroup.reading
    let mode: ReadingMode
    let form: Form
    var threads = 1
    /// Keys, as a multiple of those asked for.
    var scale = 1
    var targets: [Target] = []

    func measure(_ run: Run) async throws -> Sample {
        let run = run.with(keyCount: run.data.keyCount * scale)
        return try await FilledStore.opened(FilledStore.path(run), mode) { store in
            let samples = try await ThreadTeam.run(threads) { thread in
                try Self.read(run, store, form, seed: UInt64(thread))
            }
            return Sample(
                operations: samples.reduce(0) { $0 + $1.operations }, seconds: samples.map(\.seconds).max() ?? 0)
        }
    }

    /// One thread's reading.
    static func read(
        _ run: Run, _ store: Store, _ form: Form, seed: UInt64, isChecked: Bool = true,
        until hasEnded: () -> Bool = { false }
    ) throws -> Sample {
        switch form {
        case .returned:
            return try GetLoop.read(run, seed: seed, isChecked: isChecked, until: hasEnded) { key, _, sum in
                guard let value = try store.get(key) else { return false }
                ByteSum.add(value, to: &sum)
                return true
            }
        case .lent:
            return try GetLoop.read(run, seed: seed, isChecked: isChecked, until: hasEnded) { key, _, sum in
                try store.withValue(key) { value in ByteSum.add(value, to: &sum) } != nil
            }
        case .together(let size):
            var keys = [[UInt8]](repeating: [UInt8](repeating: 0, count: Dataset.keyBytes), count: size)
            var filled = 0
            return try GetLoop.read(run, seed: seed, isChecked: isChecked, until: hasEnded) { key, _, sum in
                // Copied into an array that is there: another one for each key would be charged to the store.
                keys[filled].withUnsafeMutableBytes { buffer in key.withUnsafeBytes(buffer.copyMemory) }
                filled += 1
                guard filled == size else { return true }
                filled = 0
                return try Engine.get(all: keys, from: store).allSatisfy { value in
                    guard let value else { return false }
                    ByteSum.add(value, to: &sum)
                    return true
                }
            }
        }
    }
}
