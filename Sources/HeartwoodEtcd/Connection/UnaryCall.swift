#if Etcd
import GRPCCore

extension ClientTransport {
    /// Sends one message, and returns the one that answers it.
    ///
    /// `GRPCClient` makes a task for the request of each call, and two more and a timer if the call has a time-out.
    func unary(
        _ descriptor: MethodDescriptor, _ request: Bytes, metadata: Metadata, options: CallOptions
    ) async throws -> Bytes {
        try await withStream(descriptor: descriptor, options: options) { stream, _ in
            do {
                try await stream.outbound.write(contentsOf: [.metadata(metadata), .message(request)])
                await stream.outbound.finish()
            } catch {
                // The status below says why.
                await stream.outbound.finish(throwing: error)
            }
            var answer: Bytes?
            for try await part in stream.inbound {
                switch part {
                case .metadata: break
                case .message(let message): answer = message
                case .status(let status, let metadata):
                    if let error = RPCError(status: status, metadata: metadata) { throw error }
                }
            }
            try Task.checkCancellation()
            guard let answer else { throw RPCError(code: .unavailable, message: "the answer is incomplete") }
            return answer
        }
    }
}
#endif
