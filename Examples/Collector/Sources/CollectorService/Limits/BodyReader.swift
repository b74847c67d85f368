import Hummingbird
import NIOCore

/// Reads bodies within limits of size and time.
struct BodyReader: Sendable {
    var maximumBytes: Int
    /// From the head of the request to the end of its body. A connection on which nothing arrives is closed earlier, by
    /// the idle time-out of the server.
    var timeout: Duration

    /// - Parameter started: When the head of the request came.
    /// - Throws: A problem: 413, also before the body is read if its length is declared; 408.
    func read(_ request: Request, since started: ContinuousClock.Instant = .now) async throws -> ByteBuffer {
        let declared = request.headers.value(.contentLength).flatMap { Int($0) }
        if let declared, declared > maximumBytes { throw Problem.tooLarge(maximumBytes) }
        let deadline = started + timeout
        var collected = ByteBuffer()
        for try await part in request.body {
            guard collected.readableBytes + part.readableBytes <= maximumBytes else {
                throw Problem.tooLarge(maximumBytes)
            }
            if collected.readableBytes == 0 {
                collected = part
                if let declared, declared > part.readableBytes { collected.reserveCapacity(declared) }
            } else {
                collected.writeImmutableBuffer(part)
            }
            guard ContinuousClock.now <= deadline else { throw Problem.tooSlow }
        }
        return collected
    }
}
