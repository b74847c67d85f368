#if Etcd
import KeyValueStore
import Synchronization

/// Batches between a watch and its iterator. A watch that is ahead waits, so etcd holds back what follows.
final class FeedBuffer: Sendable {
    private struct State {
        /// In order, from `first` on.
        var batches: [[Change]] = []
        var first = 0
        /// Nil while the watch runs; then its error, if any.
        var end: StoreError??
        var reader: CheckedContinuation<Void, Never>?
        var writer: CheckedContinuation<Void, Never>?

        var count: Int { batches.count - first }

        mutating func pop() -> [Change] {
            defer {
                first += 1
                if first == batches.count { (batches, first) = ([], 0) }
            }
            return batches[first]
        }
    }

    private let state = Mutex(State())
    /// More batches aren't kept.
    private static let most = 256

    /// Adds a batch. Waits if there are many.
    func append(_ batch: [Change]) async {
        while true {
            let isFull: Bool = state.withLock { state in
                if state.end != nil { return false }
                if state.count >= Self.most { return true }
                state.batches.append(batch)
                state.reader?.resume()
                state.reader = nil
                return false
            }
            if !isFull { return }
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.end != nil || state.count < Self.most { return true }
                    state.writer = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        }
    }

    /// Ends the feed after the batches that it has. Only the first call counts.
    func finish(_ error: StoreError?) {
        state.withLock { state in
            if state.end == nil { state.end = .some(error) }
            state.reader?.resume()
            state.writer?.resume()
            (state.reader, state.writer) = (nil, nil)
        }
    }

    /// The next batch. Waits for it; nil at the end.
    func next() async throws(StoreError) -> [Change]? {
        while true {
            if Task.isCancelled {
                throw StoreError(.cancelled, "the task was cancelled: follow again from the last position")
            }
            let result: Result<[Change]?, StoreError>? = state.withLock { state in
                if state.count > 0 {
                    defer {
                        state.writer?.resume()
                        state.writer = nil
                    }
                    return .success(state.pop())
                }
                guard let end = state.end else { return nil }
                state.end = .some(nil)
                return end.map { .failure($0) } ?? .success(nil)
            }
            if let result { return try result.get() }
            await wait()
        }
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if Task.isCancelled || state.count > 0 || state.end != nil { return true }
                    state.reader = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { state in
                state.reader?.resume()
                state.reader = nil
            }
        }
    }
}
#endif
