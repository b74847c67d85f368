#if Service
public import HeartwoodRepository
public import KeyValueStore
public import Tracing

extension KeyValueStore {
    /// Runs a transaction in a span named "heartwood.transaction", which is the parent of spans that the body makes.
    ///
    /// ```swift
    /// try await store.transaction(tracedBy: tracer) { transaction in
    ///     try await accounts.save(account, in: transaction)
    /// }
    /// ```
    ///
    /// The span says how often the body ran ("heartwood.transaction.attempts").
    ///
    /// - Parameters:
    ///   - tracer: Makes the span.
    ///   - durability: What the write has to survive; nil is the engine's default.
    ///   - body: As for ``KeyValueStore/transaction(durability:_:)``.
    /// - Throws: As ``KeyValueStore/transaction(durability:_:)``. The span notes the error.
    @discardableResult
    public nonisolated(nonsending) func transaction<R>(
        tracedBy tracer: any Tracer, durability: Durability? = nil,
        _ body: (Transaction) async throws -> R
    ) async throws -> Committed<R> {
        try await StoreTracing(tracer).span("transaction") { (span) async throws in
            var attempts = 0
            defer { span.attributes["heartwood.transaction.attempts"] = attempts }
            return try await self.transaction(durability: durability) { transaction in
                attempts += 1
                return try await body(transaction)
            }
        }
    }
}

extension Repository {
    /// The same repository, each call of which is a span, such as "save cities".
    ///
    /// - Parameter tracer: Makes the spans.
    public func traced(by tracer: any Tracer) -> TracedRepository<Model> {
        TracedRepository(base: self, tracer: tracer)
    }
}
#endif
