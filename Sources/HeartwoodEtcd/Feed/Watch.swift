#if Etcd
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import GRPCCore
import GRPCProtobuf
import KeyValueStore

/// The watch of a feed: it is made again, at another server, when it breaks.
actor Watch {
    /// What a feed delivers: the batches, and perhaps an error after them.
    typealias Batches = AsyncStream<Result<[Change], StoreError>>

    private let cluster: Cluster
    private let layout: Layout
    private let id: StoreID
    private let position: ChangePosition
    private let bounds: Layout.Bounds?
    private let reader: Batches.Continuation
    private var collector: EventCollector
    /// When a server has last answered.
    private var lastAnswer = ContinuousClock.now
    /// How long a feed waits for a server.
    private static let patience: Duration = .seconds(60)

    private init(
        _ store: EtcdStore, after position: ChangePosition, in range: KeyRange, to reader: Batches.Continuation
    ) {
        (cluster, layout, id, self.position) = (store.cluster, store.layout, store.id, position)
        (bounds, self.reader) = (layout.data(range), reader)
        collector = EventCollector(layout, id, after: Int64(clamping: position.sequence))
    }

    /// Follows until the batches are dropped, the store is closed, or the position is no longer available.
    static func start(_ store: EtcdStore, after position: ChangePosition, in range: KeyRange) -> Batches {
        Batches(bufferingPolicy: .bufferingOldest(256)) { reader in
            let watch = Watch(store, after: position, in: range, to: reader)
            let task = Task {
                if let error = await watch.run() { await watch.deliver(.failure(error)) }
                reader.finish()
            }
            reader.onTermination = { _ in task.cancel() }
        }
    }

    /// - Returns: The error that ends the feed; nil once the task is cancelled or the store is closed.
    private func run() async -> StoreError? {
        guard position.store == id else { return unavailable("is of another store") }
        var attempt = 1
        while !Task.isCancelled && !cluster.isClosed {
            let ((client, number), start) = (cluster.preferred, ContinuousClock.now)
            do throws(CallFailure) {
                try await checkPosition()
                try await watch(client)
            } catch {
                if .now - start > .seconds(2) { attempt = 1 }
                if error.kind == .compacted {
                    // For the position to follow from: other programs have written since.
                    _ = try? await cluster.call(Calls.range, EtcdRangeRequest(layout.neverWritten))
                }
                if let end = storeError(error) { return end }
                cluster.leave(number, because: error)
                try? await Task.sleep(for: cluster.pause(after: attempt))
                attempt += 1
            }
        }
        return nil
    }

    /// The error that ends the feed; nil if it can go on.
    private func storeError(_ failure: CallFailure) -> StoreError? {
        switch failure.kind {
        case .compacted, .futureRevision:
            return unavailable(failure.kind == .compacted ? "was compacted" : "is after the newest write")
        case _ where failure.isTransient:
            return .now - lastAnswer > Self.patience ? failure.storeError : nil
        default:
            return failure.storeError
        }
    }

    private func unavailable(_ reason: String) -> StoreError {
        StoreError(
            .positionUnavailable, "the position \(position) \(reason): read a view, and follow from its position",
            restart: ChangePosition(store: id, sequence: UInt64(cluster.knownRevision)))
    }

    /// Checks that etcd still has what follows the position.
    ///
    /// A watch alone wouldn't notice that it begins exactly at the revision of a compaction, which may have taken a
    /// removal of that revision away.
    private func checkPosition() async throws(CallFailure) {
        do throws(CallFailure) {
            try await probe(collector.revision)
        } catch {
            guard error.kind == .compacted, collector.progress > collector.revision else { throw error }
            try await probe(collector.progress)
            collector.skipToProgress()
        }
    }

    /// Fails if etcd doesn't have the state at a revision.
    private func probe(_ revision: Int64) async throws(CallFailure) {
        guard revision < EtcdResponseHeader.revisions.upperBound else {
            throw CallFailure(.futureRevision, "no cluster has this revision")
        }
        var probe = EtcdRangeRequest(layout.neverWritten)
        probe.revision = max(1, revision)
        _ = try await cluster.call(Calls.range, probe)
        lastAnswer = .now
    }

    /// One watch, until it breaks.
    private func watch(_ client: Cluster.Client) async throws(CallFailure) {
        var create = EtcdWatchCreateRequest()
        (create.key, create.rangeEnd) = bounds ?? (layout.neverWritten, Data())
        (create.progressNotify, create.fragment) = (true, true)
        collector.reset()
        create.startRevision = collector.revision + 1
        var creation = EtcdWatchRequest()
        creation.createRequest = create
        let request = creation
        let method = Calls.watch.descriptor
        let metadata = try await cluster.metadata(
            needsLeader: true, timeout: cluster.configuration.attemptTimeout, for: method)
        do {
            try await client.bidirectionalStreaming(
                request: StreamingClientRequest(metadata: metadata) { writer in
                    try await writer.write(request)
                    // A request that ends would end the watch.
                    while true { try await Task.sleep(for: .seconds(3_600)) }
                },
                descriptor: method, serializer: ProtobufSerializer<EtcdWatchRequest>(),
                deserializer: ProtobufDeserializer<EtcdWatchResponse>(), options: Cluster.options
            ) { [self] response in
                for try await message in response.messages { try await deliver(message) }
            }
        } catch {
            throw error as? CallFailure ?? CallFailure(error)
        }
        throw CallFailure(.unanswered, "the server has ended the watch")
    }

    private func deliver(_ response: EtcdWatchResponse) async throws(CallFailure) {
        try cluster.note(response.header)
        guard response.events.allSatisfy({ EtcdResponseHeader.revisions ~= $0.kv.modRevision }) else {
            throw .unsound
        }
        lastAnswer = .now
        for batch in collector.batches(of: response) { await deliver(.success(batch)) }
        guard response.canceled else { return }
        if response.compactRevision != 0 { throw CallFailure(.compacted, "the watch was compacted") }
        if response.cancelReason.contains("permission") {
            throw CallFailure(
                .refused(.permission, remedy: "grant the user the prefix of the store"), response.cancelReason)
        }
        throw CallFailure(.notDone, "the watch was cancelled: \(response.cancelReason)")
    }

    /// Waits while the reader has as many batches as are kept, so that etcd holds back what follows.
    private func deliver(_ batch: Batches.Element) async {
        while !Task.isCancelled, !cluster.isClosed, case .dropped = reader.yield(batch) {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }
}
#endif
