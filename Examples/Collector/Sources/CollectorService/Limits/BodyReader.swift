import Hummingbird
import NIOCore

/// Reads bodies within limits of size and time, and of the memory of all bodies and answers together.
struct BodyReader: Sendable {
    var maximumBytes: Int
    /// From the head of the request to the end of its body. A connection on which nothing arrives is closed earlier, by
    /// the idle time-out of the server.
    var timeout: Duration
    var buffers: Buffers

    /// - Parameters:
    ///   - memory: Holds the body's memory for as long as it is needed.
    ///   - started: When the head of the request came.
    /// - Throws: A problem: 413, also before the body is read if its length is declared; 408; 503.
    func read(
        _ request: Request, in memory: Reservation, since started: ContinuousClock.Instant = .now
    ) async throws -> ByteBuffer {
        let declared = request.headers.value(.contentLength).flatMap { Int($0) }
        if let declared, declared > maximumBytes { throw Problem.tooLarge(maximumBytes) }
        let deadline = started + timeout
        var collected = ByteBuffer()
        // What has come counts, not what was declared: a client may declare much and send little.
        var reserved = Buffers.least
        for try await part in request.body {
            guard collected.readableBytes + part.readableBytes <= maximumBytes else {
                throw Problem.tooLarge(maximumBytes)
            }
            let size = collected.readableBytes + part.readableBytes
            if size > reserved {
                guard memory.take(2 * size - reserved) else { throw Buffers.problem }
                reserved = 2 * size
            }
            if collected.readableBytes == 0 {
                collected = part
                if let declared, declared > part.readableBytes { collected.reserveCapacity(min(declared, reserved)) }
            } else {
                collected.writeImmutableBuffer(part)
            }
            guard ContinuousClock.now <= deadline else { throw Problem.tooSlow }
        }
        return collected
    }
}
