#if Etcd
import GRPCCore
import GRPCProtobuf
import Synchronization

extension Cluster {
    /// The metadata of a call: the user's token, and whether a server may answer that has no leader.
    func metadata(
        needsLeader: Bool, timeout: Duration, for method: MethodDescriptor
    ) async throws(CallFailure) -> Metadata {
        var metadata: Metadata = needsLeader ? ["hasleader": "true"] : [:]
        if configuration.credentials != nil && method != Calls.authenticate.descriptor {
            metadata.addString(try await validToken(timeout), forKey: "token")
        }
        return metadata
    }

    /// The token of the configuration's user. A server issues a new one if the last one has expired.
    private func validToken(_ timeout: Duration) async throws(CallFailure) -> String {
        let known = token.withLock { $0 }
        guard known.isEmpty, let credentials = configuration.credentials else { return known }
        var request = EtcdAuthenticateRequest()
        (request.name, request.password) = (credentials.user, credentials.password)
        let response = try await attempt(Calls.authenticate, request, timeout: timeout)
        token.withLock { $0 = response.token }
        return response.token
    }
}
#endif
