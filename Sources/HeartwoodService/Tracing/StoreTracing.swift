#if Service
internal import Heartwood
internal import Tracing

/// Makes spans with the attributes of OpenTelemetry's conventions for database clients.
struct StoreTracing: Sendable {
    private let tracer: any Tracer
    /// The name of the store; nil if it isn't known.
    private let store: String?
    /// The name of the repository.
    private let collection: String?

    init(_ tracer: any Tracer, store: String? = nil, collection: String? = nil) {
        (self.tracer, self.store, self.collection) = (tracer, store, collection)
    }

    /// A span that the caller ends.
    func start(_ operation: String, in context: ServiceContext) -> any Span {
        let name = collection.map { "\(operation) \($0)" } ?? "heartwood.\(operation)"
        let span: any Span = tracer.startSpan(name, context: context, ofKind: .internal)
        span.attributes["db.system.name"] = "heartwood"
        span.attributes["db.operation.name"] = operation
        if let store { span.attributes["db.namespace"] = store }
        if let collection { span.attributes["db.collection.name"] = collection }
        return span
    }

    /// Runs `body` in a span, which is the parent of spans that it makes, and notes its error.
    nonisolated(nonsending) func span<R, E: Error>(
        _ operation: String, _ body: nonisolated(nonsending) (any Span) async throws(E) -> R
    ) async throws(E) -> R {
        let span = start(operation, in: .current ?? .topLevel)
        defer { span.end() }
        let result: Result<R, E> = await ServiceContext.$current.withValue(span.context) {
            do throws(E) { return .success(try await body(span)) } catch { return .failure(error) }
        }
        if case .failure(let error) = result {
            span.recordError(error)
            span.setStatus(SpanStatus(code: .error))
            if let error = error as? StoreError { span.attributes["error.type"] = error.code.description }
        }
        return try result.get()
    }
}
#endif
