import Heartwood
import Testing

/// Expects a `StoreError` with this code, and returns it.
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
