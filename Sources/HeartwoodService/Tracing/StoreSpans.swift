#if Service
internal import Heartwood
internal import Synchronization
internal import Tracing

/// The spans of a store's own work: opening, recovery, compaction.
///
/// A compaction runs on a thread of its own, so its span is the root of a trace.
struct StoreSpans: Sendable {
    private let tracing: StoreTracing?
    private let open: OpenSpans

    private final class OpenSpans: Sendable {
        /// The context of the opening, in which recovery runs.
        let opening = Mutex<ServiceContext?>(nil)
        let recovery = Mutex<(any Span)?>(nil)
        let compaction = Mutex<(any Span)?>(nil)
    }

    init(_ tracer: (any Tracer)?, name: String) {
        tracing = tracer.map { StoreTracing($0, store: name) }
        open = OpenSpans()
    }

    nonisolated(nonsending) func opening(
        _ body: nonisolated(nonsending) () async throws(StoreError) -> Store
    ) async throws(StoreError) -> Store {
        guard let tracing else { return try await body() }
        return try await tracing.span("open") { (span) async throws(StoreError) in
            open.opening.withLock { $0 = span.context }
            defer {
                open.opening.withLock { $0 = nil }
                // A recovery that failed.
                end(open.recovery) { $0.setStatus(SpanStatus(code: .error)) }
            }
            return try await body()
        }
    }

    func observe(_ event: StoreEvent) {
        guard let tracing else { return }
        switch event {
        case .recoveryBegan:
            let context = open.opening.withLock { $0 } ?? .topLevel
            open.recovery.withLock { $0 = tracing.start("recovery", in: context) }
        case .recovered(let report):
            end(open.recovery) { span in
                span.attributes["heartwood.recovery.bytes"] = Int64(clamping: report.bytes)
                span.attributes["heartwood.recovery.records"] = Int64(clamping: report.records)
                span.attributes["heartwood.recovery.tail"] = report.tail.name
            }
        case .compactionBegan:
            open.compaction.withLock { $0 = tracing.start("compaction", in: .topLevel) }
        case .compacted(let report):
            end(open.compaction) { span in
                span.attributes["heartwood.compaction.replaced_bytes"] = Int64(clamping: report.replacedBytes)
                span.attributes["heartwood.compaction.snapshot_bytes"] = Int64(clamping: report.snapshot?.bytes ?? 0)
            }
        case .compactionFailed(let error):
            end(open.compaction) { span in
                span.recordError(error)
                span.setStatus(SpanStatus(code: .error, message: error.message))
            }
        default: break
        }
    }

    private func end(_ place: borrowing Mutex<(any Span)?>, _ finish: (any Span) -> Void) {
        let span = place.withLock { span in
            defer { span = nil }
            return span
        }
        guard let span else { return }
        finish(span)
        span.end()
    }
}

extension RecoveryReport.Tail {
    fileprivate var name: String {
        switch self {
        case .new: "new"
        case .closed: "closed"
        case .unclosed: "unclosed"
        case .torn: "torn"
        }
    }
}
#endif
