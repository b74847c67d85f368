#if Etcd
import GRPCCore
import SwiftProtobuf

/// A call of etcd's API.
struct Method<Request: SwiftProtobuf.Message, Response: Reply>: Sendable {
    let descriptor: MethodDescriptor

    /// - Parameter type: The frames of a unary request are sent together.
    init(_ service: String, _ name: String, _ type: MethodDescriptor.RPCType = .unary) {
        descriptor = MethodDescriptor(fullyQualifiedService: "etcdserverpb.\(service)", method: name, type: type)
    }
}

/// A response of etcd. All have a header.
protocol Reply: SwiftProtobuf.Message, Sendable {
    var header: EtcdResponseHeader { get }
    /// Whether its numbers are ones that etcd gives: later code computes with them.
    var isSound: Bool { get }
}

extension Reply {
    var isSound: Bool { true }
}

extension EtcdRangeResponse: Reply {
    var isSound: Bool {
        0..<1 << 48 ~= count && kvs.allSatisfy { EtcdResponseHeader.revisions ~= $0.modRevision }
    }
}

extension EtcdTxnResponse: Reply {
    var isSound: Bool { responses.allSatisfy { $0.responseRange.isSound && $0.responseTxn.isSound } }
}

extension EtcdResponseHeader {
    /// Far more than a cluster will ever have: what is added to one doesn't overflow.
    static let revisions = 0..<Int64(1) << 62
}

extension EtcdWatchResponse: Reply {}
extension EtcdLeaseGrantResponse: Reply {}
extension EtcdAuthenticateResponse: Reply {}

/// The calls that a store makes.
enum Calls {
    static let range = Method<EtcdRangeRequest, EtcdRangeResponse>("KV", "Range")
    static let transaction = Method<EtcdTxnRequest, EtcdTxnResponse>("KV", "Txn")
    static let watch = Method<EtcdWatchRequest, EtcdWatchResponse>("Watch", "Watch", .bidirectionalStreaming)
    static let grantLease = Method<EtcdLeaseGrantRequest, EtcdLeaseGrantResponse>("Lease", "LeaseGrant")
    static let authenticate = Method<EtcdAuthenticateRequest, EtcdAuthenticateResponse>("Auth", "Authenticate")
}
#endif
