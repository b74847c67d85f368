import HTTPTypes
import Heartwood
import HeartwoodNIO
import Hummingbird
import NIOCore

/// `POST /events`: takes a batch of events, and answers when it is on the disk.
struct Ingest: Sendable {
    /// Nil for measurements without a store.
    let store: (any KeyValueStore)?
    let numbers: EventNumbers
    let tokens: Tokens
    let body: BodyReader
    let limits: EventBatch.Limits
    /// Nil for ever.
    let retention: Lifetime?
    let hasTypeIndex: Bool
    let idempotency: Lifetime
    let clock: any StoreClock
    let metrics: IngestMetrics
    /// Nil if no summaries are made.
    let marks: HourMarks?

    func post(_ request: Request, _ context: CollectorContext) async throws -> Response {
        let started = ContinuousClock.now
        do {
            let client = try tokens.authorize(request.headers, .write)
            guard let format = request.headers.value(.contentType).flatMap(EventBatch.Format.init(contentType:)) else {
                throw Problem(
                    .unsupportedMediaType, "unsupported-media-type",
                    "send application/json (an object or an array), or application/x-ndjson (an object a line)")
            }
            let key = try idempotencyKey(request)
            let memory = Reservation(of: body.buffers.slots)
            defer { memory.release() }
            let body = try await body.read(request, in: memory, since: started)
            let prepared = try await prepare(body, format, client, key)
            let (answer, isReplay) = try await write(prepared)
            metrics.accepted(prepared.types, bytes: body.readableBytes, isReplay: isReplay, since: started)
            return response(answer, isReplay: isReplay)
        } catch {
            metrics.refused(ProblemMiddleware.problem(error).status, since: started)
            throw error
        }
    }

    private func idempotencyKey(_ request: Request) throws -> String? {
        guard let key = request.headers.value(.idempotencyKey) else { return nil }
        guard 1...255 ~= key.utf8.count else {
            throw Problem.badRequest("invalid-idempotency-key", "an Idempotency-Key has 1 to 255 bytes")
        }
        return key
    }

    private func response(_ record: IdempotencyRecord, isReplay: Bool) -> Response {
        var json: [UInt8] = []
        json.reserveCapacity(16 + 35 * record.times.count)
        json.append(contentsOf: #"{"ids":["#.utf8)
        var number = record.firstNumber
        for time in record.times {
            if number > record.firstNumber { json.append(UInt8(ascii: ",")) }
            json.append(UInt8(ascii: "\""))
            EventID(time: time, epoch: record.epoch, number: number).forEachByte { byte in
                json.append(HexDigits.digit(byte >> 4))
                json.append(HexDigits.digit(byte & 0xF))
            }
            json.append(UInt8(ascii: "\""))
            number += 1
        }
        json.append(contentsOf: "]}".utf8)
        var headers: HTTPFields = [.contentType: "application/json"]
        if isReplay { headers[.idempotentReplayed] = "true" }
        return Response(status: .created, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: json)))
    }
}

extension Ingest {
    /// What is written for a request: one batch, all or nothing.
    private struct Prepared {
        /// Nil without a store.
        var batch: WriteBatch?
        var answer: IdempotencyRecord
        /// Where the answer is stored; nil without an idempotency key.
        var key: [UInt8]?
        var types: TypeCounts
        var hours: HourMarks.Plan
        var now: Timestamp
        /// When the first of the records expires, by the store's time; nil for never.
        var end: Timestamp?
    }

    private func prepare(
        _ body: ByteBuffer, _ format: EventBatch.Format, _ client: Client, _ key: String?
    ) async throws -> Prepared {
        let events = try EventBatch(body.readableBytesUInt8Span, format, limits).events
        let numbers = try await numbers.take(events.count)
        let span = body.readableBytesUInt8Span
        let now = clock.now()
        // What expires does so by the store's time, which is ahead of the clock after the clock was ahead.
        let storeTime = store?.now ?? now
        var end = retention?.end(from: storeTime)
        var types = TypeCounts()
        var hours = HourSet()
        var batch = store?.makeBatch()
        batch?.reserveCapacity(body.readableBytes + 192 * events.count)
        var writer = EventWriter(
            consume batch, body: body, expires: end.map { .at($0) } ?? .never,
            hasTypeIndex: hasTypeIndex)
        var times: [UInt64] = []
        times.reserveCapacity(events.count)
        for (index, event) in events.enumerated() {
            let id = EventID(
                time: event.time ?? now.milliseconds, epoch: numbers.epoch, number: numbers.first + UInt64(index))
            times.append(id.time)
            types.count(event.type, in: span)
            hours.insert(Hour(of: id.time))
            writer.add(event, id, span)
        }
        var answer = IdempotencyRecord(digest: [], epoch: numbers.epoch, firstNumber: numbers.first, times: times)
        let request = key.map { EventKeys.request(client: client.name, key: $0) }
        if let request {
            answer.digest = body.withUnsafeReadableBytes { IdempotencyRecord.digest(of: $0) }
            let answerEnd = idempotency.end(from: storeTime)
            writer.add(request, answer.bytes, expires: .at(answerEnd))
            end = min(end ?? answerEnd, answerEnd)
        }
        let plan = marks?.plan(hours, now: now) ?? HourMarks.Plan()
        for hour in plan.marks { writer.add(mark: hour) }
        return Prepared(
            batch: writer.batch, answer: answer, key: request, types: types, hours: plan, now: now, end: end)
    }

    /// Writes a batch, or finds the answer to the same request before.
    private func write(_ prepared: Prepared) async throws -> (answer: IdempotencyRecord, isReplay: Bool) {
        guard let store, var records = prepared.batch else { return (prepared.answer, false) }
        var hours = prepared.hours
        var isWritten = false
        while true {
            var batch = records
            if let closed = hours.closed { batch.require(.absent(closed)) }
            do throws(StoreError) {
                // On the disk when this returns, or on those of a majority of the cluster.
                try await store.write(batch, durability: .synced)
                marks?.committed(hours, now: prepared.now)
                isWritten = true
            } catch {
                if error.code == .tooLarge && !(store is Store) { throw Problem.tooMany(store.limits) }
                guard error.code == .conflict else { throw error }
            }
            if isWritten {
                if let end = prepared.end, end <= store.now { throw Problem.clockWasSet }
                return (prepared.answer, false)
            }
            if let key = prepared.key, let answer = try await answer(store, key) {
                guard answer.digest == prepared.answer.digest else {
                    throw Problem(
                        .unprocessableContent, "idempotency-key-reused",
                        "this Idempotency-Key was used with another body: choose a new key for each request")
                }
                return (answer, true)
            }
            // It has expired since, or the hour was closed: then this one is written.
            if let marks, let hour = hours.open {
                hours = marks.replan(hours)
                records.put(EventKeys.mark(hour), [UInt8]())
            }
        }
    }

    /// The answer that is stored for an idempotency key.
    private func answer(_ store: any KeyValueStore, _ key: [UInt8]) async throws -> IdempotencyRecord? {
        // On files, the write with this key may still be on its way to the disk.
        try await (store as? Store)?.sync()
        guard let stored = try await store.fetchEntry(key) else { return nil }
        guard let answer = IdempotencyRecord(stored.value) else {
            throw StoreError(.unsupportedFormat, "the answer to an Idempotency-Key is of a newer version")
        }
        return answer
    }
}

extension HTTPField.Name {
    static let idempotencyKey = Self("Idempotency-Key")!
    static let idempotentReplayed = Self("Idempotent-Replayed")!
    static let lastEventID = Self("Last-Event-ID")!
}
