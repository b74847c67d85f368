import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Bounds how many of something exist at once: connections, streams, or bytes of bodies and answers.
final class Slots: Sendable {
    private let limit: Int
    private let used = Mutex(0)

    init(_ limit: Int) { self.limit = limit }

    /// How many are taken.
    var count: Int { used.withLock { $0 } }

    fileprivate func take(_ number: Int) -> Bool {
        used.withLock { used in
            guard number <= limit - used else { return false }
            used += number
            return true
        }
    }

    fileprivate func release(_ number: Int) { used.withLock { $0 -= number } }
}

/// Slots that are taken. They are released at the latest with this object, also those of a stream that never begins.
final class Reservation: Sendable {
    private let slots: Slots
    private let taken = Mutex(0)

    init(of slots: Slots) { self.slots = slots }

    /// Takes more. False if there aren't so many: then it has what it had.
    func take(_ number: Int) -> Bool {
        guard slots.take(number) else { return false }
        taken.withLock { $0 += number }
        return true
    }

    func release() { slots.release(taken.withLock { number in exchange(&number, with: 0) }) }

    deinit { release() }
}

/// Limits a rate: a bucket holds tokens for one second, and each request takes one.
final class TokenBucket: Sendable {
    private let rate: Double
    private let state: Mutex<(tokens: Double, time: ContinuousClock.Instant)>

    /// - Parameter rate: Requests a second; also how many may come at once. Nil for no limit.
    init(rate: Int?, now: ContinuousClock.Instant = .now) {
        self.rate = rate.map(Double.init) ?? .infinity
        state = Mutex((self.rate, now))
    }

    /// Whether a request may be served now.
    func take(now: ContinuousClock.Instant = .now) -> Bool {
        if rate == .infinity { return true }
        return state.withLock { state in
            let seconds = max(.zero, now - state.time) / .seconds(1)
            state = (min(rate, state.tokens + seconds * rate), max(state.time, now))
            guard state.tokens >= 1 else { return false }
            state.tokens -= 1
            return true
        }
    }

    /// Buckets that keys share by their hashes, so that many keys take no memory.
    struct Table: Sendable {
        private let buckets: [TokenBucket]

        init(rate: Int) { buckets = (0..<1_024).map { _ in TokenBucket(rate: rate) } }

        func take(_ key: String) -> Bool {
            buckets[Int(UInt(bitPattern: key.hashValue) % UInt(buckets.count))].take()
        }
    }
}

/// Reads bodies within limits of size and time, and of the memory of all bodies and answers together.
struct BodyReader: Sendable {
    var maximumBytes: Int
    /// From the head of the request to the end of its body. A connection on which nothing arrives is closed earlier, by
    /// the idle time-out of the server.
    var timeout: Duration
    var memory: Slots

    /// - Parameter reservation: Holds the body's memory for as long as it is needed.
    /// - Throws: A problem: 413, also before the body is read if its length is declared; 408; 503.
    func read(_ request: Request, in reservation: Reservation) async throws -> ByteBuffer {
        let tooLarge = Problem(
            .contentTooLarge, "body-too-large", "the body has more than \(maximumBytes) bytes: send smaller batches"
        ).closing
        let declared = request.headers[.contentLength].flatMap { Int($0) }
        if let declared, declared > maximumBytes { throw tooLarge }
        let deadline = ContinuousClock.now + timeout
        var body = ByteBuffer()
        for try await part in request.body {
            guard body.readableBytes + part.readableBytes <= maximumBytes else { throw tooLarge }
            // What has come counts, not what was declared. A buffer that grows may have twice what is in it.
            guard reservation.take(2 * part.readableBytes) else { throw Problem.tooMuchMemory }
            if body.readableBytes == 0 { body = part } else { body.writeImmutableBuffer(part) }
            guard ContinuousClock.now <= deadline else {
                let detail = "the body took too long to arrive: send it again"
                throw Problem(.requestTimeout, "body-too-slow", detail).closing
            }
        }
        return body
    }
}

extension Response {
    /// Counts the memory of an answer until its client has taken it. Small ones aren't counted, because connections are
    /// limited, too.
    ///
    /// - Throws: A problem, 503, if there isn't so much memory now.
    mutating func reserve(_ memory: Slots) throws {
        guard let bytes = body.contentLength, bytes > 16 << 10 else { return }
        let reservation = Reservation(of: memory)
        guard reservation.take(bytes) else { throw Problem.tooMuchMemory }
        let body = body
        self.body = ResponseBody(contentLength: bytes) { writer in
            defer { reservation.release() }
            try await body.write(writer)
        }
    }
}

extension Problem {
    static var tooMuchMemory: Problem {
        Problem(
            .serviceUnavailable, "too-much-memory",
            "bodies and answers that wait for their clients take all the memory that they may have: nothing was "
                + "written; try again", retryAfter: 1)
    }
}
