import Crypto
import HTTPTypes
import Heartwood
import HeartwoodNIO
import Hummingbird
import NIOCore

/// `POST /events`: takes a batch of events, and answers when it is on the disk.
struct Ingest: Sendable {
    /// Nil for measurements without a store.
    let store: (any KeyValueStore)?
    let settings: Settings
    let numbers: EventNumbers
    let access: Access
    let body: BodyReader
    let clock: any StoreClock
    let metrics: IngestMetrics
    /// Nil if no summaries are made.
    let window: SummaryWindow?

    /// What is written for a request: one batch, all or nothing.
    private struct Prepared {
        /// Nil without a store.
        var batch: WriteBatch?
        var ids: [EventID] = []
        var types: [String: Int] = [:]
        /// With an idempotency key, where the answer is stored, and the digest of the body.
        var key: (bytes: [UInt8], digest: [UInt8])?
        /// When the first of the records expires, by the store's time; nil for never.
        var end: Timestamp?
    }

    func post(_ request: Request) async throws -> Response {
        let started = ContinuousClock.now
        do {
            let client = try access.authorize(request.headers, .write)
            let isLines = try Self.isLines(request.headers[.contentType])
            let key = request.headers[.idempotencyKey]
            guard key.map({ 1...255 ~= $0.utf8.count }) ?? true else {
                throw Problem.badRequest("invalid-idempotency-key", "an Idempotency-Key has 1 to 255 bytes")
            }
            let memory = Reservation(of: body.memory)
            defer { memory.release() }
            let bytes = Array(try await body.read(request, in: memory).readableBytesView)
            let prepared = try await prepare(bytes, isLines: isLines, key.map { Keys.answer(client.name, $0) })
            let earlier = try await write(prepared)
            metrics.accepted(earlier == nil ? prepared.types : [:], earlier == nil ? bytes.count : nil, since: started)
            let ids = (earlier ?? prepared.ids).map { "\"\($0)\"" }.joined(separator: ",")
            var response = Response(ByteBuffer(string: #"{"ids":[\#(ids)]}"#), status: .created)
            if earlier != nil { response.headers[.idempotentReplayed] = "true" }
            return response
        } catch {
            metrics.refused(Problem(error).status)
            throw error
        }
    }

    private static func isLines(_ contentType: String?) throws -> Bool {
        switch contentType?.prefix(while: { $0 != ";" && $0 != " " && $0 != "\t" }).lowercased() {
        case "application/json": return false
        case "application/x-ndjson", "application/jsonl": return true
        default:
            throw Problem(
                .unsupportedMediaType, "unsupported-media-type",
                "send application/json (an object or an array), or application/x-ndjson (an object a line)")
        }
    }

    private func scan(_ bytes: [UInt8], isLines: Bool) throws -> [ScannedEvent] {
        var scanner = EventScanner(bytes)
        var events: [ScannedEvent] = []
        let add = { [limits = settings] (event: ScannedEvent) throws(Problem) in
            if event.object.count > limits.maximumEventBytes {
                throw EventScanner.error("the event is too large", at: event.object.lowerBound)
            }
            if events.count == limits.maximumEvents {
                throw EventScanner.error("there are too many events in one request", at: event.object.lowerBound)
            }
            events.append(event)
        }
        try isLines ? scanner.readLines(add) : scanner.readJSON(add)
        if events.isEmpty { throw EventScanner.error("there are no events", at: 0) }
        return events
    }

    private func prepare(_ bytes: [UInt8], isLines: Bool, _ key: [UInt8]?) async throws -> Prepared {
        let events = try scan(bytes, isLines: isLines)
        let (epoch, first) = try await numbers.take(events.count)
        let now = clock.now()
        // What expires does so by the store's time, which is ahead of the clock after the clock was ahead.
        let storeTime = store?.now ?? now
        var prepared = Prepared(batch: store?.makeBatch(), end: settings.retention.map { end(of: $0, from: storeTime) })
        prepared.batch?.reserveCapacity(bytes.count + 192 * events.count)
        let expires: Expiry = prepared.end.map { .at($0) } ?? .never
        var hours: Set<Hour> = []
        for (number, event) in events.enumerated() {
            let id = EventID(event.time ?? now.milliseconds, epoch: epoch, number: first + UInt64(number))
            prepared.ids.append(id)
            prepared.types[event.type, default: 0] += 1
            prepared.batch?.put(Keys.event(id), bytes[event.object], expires: expires)
            if settings.hasTypeIndex { prepared.batch?.put(Keys.type(event.type, id), [UInt8](), expires: expires) }
            if let window, hours.insert(Hour(of: id.time)).inserted, window.contains(Hour(of: id.time), at: now) {
                prepared.batch?.put(Keys.mark(Hour(of: id.time)), [UInt8]())
            }
        }
        if let key {
            let digest = Array(SHA256.hash(data: bytes))
            let end = end(of: settings.idempotency, from: storeTime)
            prepared.batch?.put(
                key, Self.recordVersion + digest + prepared.ids.flatMap(\.bytes), expires: .at(end), if: .absent)
            prepared.key = (key, digest)
            prepared.end = min(prepared.end ?? end, end)
        }
        return prepared
    }

    /// Writes a batch. If the request was written before, returns the ids of that time.
    private func write(_ prepared: Prepared) async throws -> [EventID]? {
        guard let store, let batch = prepared.batch else { return nil }
        while true {
            do {
                // On the disk when this returns, or on those of a majority of the cluster.
                try await store.write(batch, durability: .synced)
                guard prepared.end.map({ $0 > store.now }) ?? true else {
                    throw Problem(
                        .serviceUnavailable, "clock-was-set",
                        "the clock of the service was set forward during this request, and the events have expired: "
                            + "send it again", retryAfter: 1)
                }
                return nil
            } catch let error as StoreError where error.code == .tooLarge && !(store is Store) {
                throw Problem.tooMany(store.limits)
            } catch let error as StoreError where error.code == .conflict {
                // The answer that made the conflict may have expired since: then this request is written.
                if let key = prepared.key, let ids = try await answer(store, key.bytes, key.digest) { return ids }
            }
        }
    }

    /// What the record of an answer begins with; the digest of the body and the ids follow.
    private static let recordVersion: [UInt8] = [2]

    private func answer(_ store: any KeyValueStore, _ key: [UInt8], _ digest: [UInt8]) async throws -> [EventID]? {
        // On files, the write with this key may still be on its way to the disk.
        try await (store as? Store)?.sync()
        guard let record = try await store.fetchEntry(key)?.value else { return nil }
        guard record.starts(with: Self.recordVersion), record.count % EventID.byteCount == 33 % EventID.byteCount else {
            throw StoreError(.unsupportedFormat, "the answer to an Idempotency-Key is of another version")
        }
        guard record[1..<33].elementsEqual(digest) else {
            throw Problem(
                .unprocessableContent, "idempotency-key-reused",
                "this Idempotency-Key was used with another body: choose a new key for each request")
        }
        return stride(from: 33, to: record.count, by: EventID.byteCount).map { EventID(bytes: record[..<($0 + 16)]) }
    }

    /// The end of a lifetime.
    ///
    /// On a cluster, the keys that expire in one second share a lease, and each lease costs a call and memory of the
    /// servers. So there it is rounded up to a multiple of a thousandth of the time: at most a thousand leases exist.
    func end(of lifetime: Duration, from now: Timestamp) -> Timestamp {
        let end = now + lifetime
        guard let store, store.limits.expiryGrain >= .seconds(1) else { return end }
        // A thousandth of it in milliseconds is its number of seconds.
        let grain = UInt64(max(1_000, lifetime.components.seconds))
        let rest = end.milliseconds % grain
        return rest == 0 ? end : end + .milliseconds(grain - rest)
    }
}

extension Problem {
    /// A request that a cluster can't write in one commit.
    fileprivate static func tooMany(_ limits: KeyValueLimits) -> Problem {
        Problem(
            .contentTooLarge, "too-large-for-cluster",
            "the events of a request are one commit, and the cluster allows \(limits.operations) records and "
                + "\(limits.batchBytes) bytes in it; an event has two records, or one without events.type-index: "
                + "nothing was written; send fewer events in a request")
    }
}

extension HTTPField.Name {
    static let idempotencyKey = Self("Idempotency-Key")!
    static let idempotentReplayed = Self("Idempotent-Replayed")!
    static let lastEventID = Self("Last-Event-ID")!
}
