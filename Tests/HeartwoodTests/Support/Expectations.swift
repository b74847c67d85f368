import Heartwood
import Synchronization
import Testing

/// Expects a `StoreError` of this code, and returns it.
@discardableResult
func expectError(
    _ code: StoreError.Code, _ location: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async -> StoreError? {
    do {
        try await body()
        Issue.record("expected \(code), but nothing was thrown", sourceLocation: location)
    } catch let error as StoreError {
        #expect(error.code == code, "\(error)", sourceLocation: location)
        return error
    } catch {
        Issue.record("expected \(code), but \(error) was thrown", sourceLocation: location)
    }
    return nil
}

/// A clock that a test sets.
final class TestClock: StoreClock {
    private let time: Atomic<UInt64>

    init(_ milliseconds: UInt64) { time = Atomic(milliseconds) }

    func set(_ milliseconds: UInt64) { time.store(milliseconds, ordering: .sequentiallyConsistent) }
    func now() -> Timestamp { Timestamp(milliseconds: time.load(ordering: .sequentiallyConsistent)) }
}
