#if Etcd
import GRPCCore
import KeyValueStore

/// Why one attempt of a call failed, and what that says about the next one.
struct CallFailure: Error {
    enum Kind: Equatable {
        /// The server can't be reached, or doesn't answer in time. The call may have been carried out.
        case unanswered
        /// The call wasn't carried out; another attempt may succeed.
        case notDone
        /// The token isn't valid any more. Not carried out.
        case tokenExpired
        /// The revision was compacted.
        case compacted
        /// The server doesn't have the revision yet.
        case futureRevision
        /// A key was to be put with a lease that isn't there. Not carried out.
        case leaseMissing
        /// The lease that was to be granted is there.
        case leaseExists
        /// Another attempt would fail, too. Not carried out.
        case refused(StoreError.Code, remedy: String)
    }

    var kind: Kind
    /// The server's words.
    var message: String
    var cause: (any Error)?

    /// Only these are tried again.
    var isTransient: Bool { kind == .unanswered || kind == .notDone || kind == .tokenExpired }

    /// Whether etcd's quota is reached.
    var isOutOfSpace: Bool { if case .refused(.outOfSpace, _) = kind { true } else { false } }

    /// The error of a call that isn't tried again.
    var storeError: StoreError {
        switch kind {
        case .refused(let code, let remedy):
            StoreError(code, "etcd refused the call, \(message): \(remedy)", cause: cause)
        case .compacted, .futureRevision:
            StoreError(
                .viewEnded,
                "etcd \(kind == .compacted ? "has compacted" : "doesn't have") the revision of the view: make a new "
                    + "view, and read again", cause: cause)
        case .unanswered, .notDone, .tokenExpired, .leaseMissing, .leaseExists:
            StoreError(
                .inputOutput,
                "no server of the cluster answered in time, \(message): check the endpoints and the cluster's health",
                cause: cause)
        }
    }

    /// An answer that no etcd server gives.
    static let unsound = CallFailure(
        .refused(.failed, remedy: "check that it is etcd"), "a server's answer has numbers that make no sense")

    /// An answer without the parts that were asked for.
    static let incomplete = CallFailure(
        .refused(.failed, remedy: "check that it is etcd"), "a server's answer has not the parts that were asked for")

    init(_ kind: Kind, _ message: String, cause: (any Error)? = nil) {
        (self.kind, self.message, self.cause) = (kind, message, cause)
    }

    /// Classifies an error of gRPC. etcd's errors have a code and a fixed text.
    init(_ error: any Error) {
        guard let error = error as? RPCError else {
            self.init(.unanswered, "\(error)", cause: error)
            return
        }
        self.init(Self.kind(error), error.message, cause: error)
    }

    private static func kind(_ error: RPCError) -> Kind {
        let text = error.message
        switch error.code {
        case .outOfRange:
            return text.contains("compacted") ? .compacted : .futureRevision
        case .notFound where text.contains("lease"):
            return .leaseMissing
        case .failedPrecondition where text.contains("lease already exists"):
            return .leaseExists
        case .unauthenticated:
            return .tokenExpired
        case .invalidArgument where text.contains("auth store is old"):
            return .tokenExpired
        case .resourceExhausted:
            return exhausted(text)
        case .invalidArgument where text.contains("too large") || text.contains("too many operations"):
            return .refused(.tooLarge, remedy: "write it as several batches, or raise the servers' limits")
        case .invalidArgument where text.contains("authentication failed"):
            return .refused(.permission, remedy: "check the user and the password")
        case .permissionDenied:
            return .refused(.permission, remedy: "grant the user the prefix of the store")
        case .dataLoss:
            return .refused(.corruption, remedy: "a member of the cluster is corrupt, see etcd's alarms")
        case .unavailable:
            return isBeforeSending(text) ? .notDone : .unanswered
        case .invalidArgument, .unimplemented, .failedPrecondition:
            return .refused(.failed, remedy: "check that the servers are etcd 3.4 or newer, and their configuration")
        default:
            return .unanswered
        }
    }

    private static func exhausted(_ text: String) -> Kind {
        if text.contains("space exceeded") {
            return .refused(
                .outOfSpace, remedy: "compact and defragment the cluster, or raise its quota, and disarm the alarm")
        }
        return text.contains("too many requests")
            ? .notDone : .refused(.tooLarge, remedy: "a message is larger than gRPC's limit")
    }

    /// Messages of gRPC about a connection that isn't there, and of etcd before it proposes a write.
    private static func isBeforeSending(_ text: String) -> Bool {
        text.contains("Channel isn't ready") || text.contains("'wait for ready'") || text.contains("no leader")
            || text.contains("resolve server name")
    }
}
#endif
