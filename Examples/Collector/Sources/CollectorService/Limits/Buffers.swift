import Hummingbird
import NIOCore

/// The memory that bodies and answers may take together while they wait for their clients.
struct Buffers: Sendable {
    let slots: Slots

    /// Smaller ones aren't counted: connections are limited, too.
    static let least = 16 << 10

    init(bytes: Int) { slots = Slots(bytes) }

    /// An answer whose memory is counted until its client has taken it.
    ///
    /// - Throws: A problem, 503, if there isn't so much memory now.
    func counted(_ response: Response) throws -> Response {
        guard let bytes = response.body.contentLength, bytes > Self.least else { return response }
        let memory = Reservation(of: slots)
        guard memory.take(bytes) else { throw Self.problem }
        var response = response
        let body = response.body
        response.body = ResponseBody(contentLength: bytes) { writer in
            defer { memory.release() }
            try await body.write(writer)
        }
        return response
    }

    static var problem: Problem {
        Problem(
            .serviceUnavailable, "too-much-memory",
            "bodies and answers that wait for their clients take all the memory that they may have: nothing was "
                + "written; try again"
        ).retry(after: 1)
    }
}
