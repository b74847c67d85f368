#if Etcd
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension EtcdRangeRequest {
    /// One key, or with an end all keys from the first one to the end.
    init(_ key: Data, end: Data? = nil) {
        self.init()
        self.key = key
        if let end { rangeEnd = end }
    }
}

extension EtcdTxnRequest {
    /// Carries out `operations` if all comparisons hold, and `others` if one doesn't.
    init(if compares: [EtcdCompare] = [], _ operations: [EtcdRequestOp], else others: [EtcdRequestOp] = []) {
        self.init()
        (compare, success, failure) = (compares, operations, others)
    }
}

extension EtcdRequestOp {
    static func range(_ range: EtcdRangeRequest) -> Self {
        var operation = Self()
        operation.requestRange = range
        return operation
    }

    static func range(_ key: Data) -> Self { range(EtcdRangeRequest(key)) }

    static func put(_ key: Data, _ value: Data, lease: Int64 = 0) -> Self {
        var operation = Self()
        operation.requestPut.key = key
        operation.requestPut.value = value
        operation.requestPut.lease = lease
        return operation
    }

    static func remove(_ key: Data) -> Self {
        var operation = Self()
        operation.requestDeleteRange.key = key
        return operation
    }

    static func transaction(_ transaction: EtcdTxnRequest) -> Self {
        var operation = Self()
        operation.requestTxn = transaction
        return operation
    }
}

/// Comparisons. An absent key has version, revisions and lease 0, and a comparison of its value fails.
extension EtcdCompare {
    private init(_ key: Data, _ result: CompareResult, _ target: CompareTarget, _ union: OneOf_TargetUnion) {
        self.init()
        (self.key, self.result, self.target, targetUnion) = (key, result, target, union)
    }

    static func isAbsent(_ key: Data) -> Self { Self(key, .equal, .create, .createRevision(0)) }
    static func exists(_ key: Data) -> Self { Self(key, .greater, .create, .createRevision(0)) }

    /// The key was last put by this revision.
    static func wasPut(_ key: Data, at revision: Int64) -> Self { Self(key, .equal, .mod, .modRevision(revision)) }

    /// The key is absent, or was last put by this revision or before; with an end, this is true of all keys up to it.
    static func isOlder(_ key: Data, end: Data? = nil, than revision: Int64) -> Self {
        var compare = Self(key, .less, .mod, .modRevision(revision))
        if let end { compare.rangeEnd = end }
        return compare
    }

    /// The key has no lease.
    static func hasNoLease(_ key: Data) -> Self { Self(key, .equal, .lease, .lease(0)) }

    /// The key exists, and its value is less.
    static func isLess(_ key: Data, than value: Data) -> Self { Self(key, .less, .value, .value(value)) }
}
#endif
