#if Etcd
import GRPCCore
import SwiftProtobuf

/// A call of etcd's API.
struct Method<Request: SwiftProtobuf.Message, Response: Reply>: Sendable {
    let descriptor: MethodDescriptor

    init(_ service: String, _ name: String) {
        descriptor = MethodDescriptor(fullyQualifiedService: "etcdserverpb.\(service)", method: name)
    }
}

/// A response of etcd. All have a header.
protocol Reply: SwiftProtobuf.Message, Sendable {
    var header: EtcdResponseHeader { get }
}

extension EtcdRangeResponse: Reply {}
extension EtcdTxnResponse: Reply {}
extension EtcdWatchResponse: Reply {}
extension EtcdLeaseGrantResponse: Reply {}
extension EtcdAuthenticateResponse: Reply {}

extension Method where Request == EtcdRangeRequest, Response == EtcdRangeResponse {
    static var range: Self { Self("KV", "Range") }
}

extension Method where Request == EtcdTxnRequest, Response == EtcdTxnResponse {
    static var transaction: Self { Self("KV", "Txn") }
}

extension Method where Request == EtcdWatchRequest, Response == EtcdWatchResponse {
    static var watch: Self { Self("Watch", "Watch") }
}

extension Method where Request == EtcdLeaseGrantRequest, Response == EtcdLeaseGrantResponse {
    static var grantLease: Self { Self("Lease", "LeaseGrant") }
}

extension Method where Request == EtcdAuthenticateRequest, Response == EtcdAuthenticateResponse {
    static var authenticate: Self { Self("Auth", "Authenticate") }
}
#endif
