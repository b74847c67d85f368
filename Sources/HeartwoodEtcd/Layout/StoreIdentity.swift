#if Etcd
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import KeyValueStore

/// The key that makes a prefix a store: one byte for the version of the layout, and 16 random bytes.
enum StoreIdentity {
    private static let version: UInt8 = 1

    /// Reads the key, or creates it together with the horizon.
    static func request(_ layout: Layout) -> EtcdTxnRequest {
        let random = (0..<16).map { _ in UInt8.random(in: 0...255) }
        let identity = layout.identity
        return EtcdTxnRequest(
            if: [.isAbsent(identity)],
            [.put(identity, Data([version] + random)), .put(layout.horizon, ordered(0)), .range(identity)],
            else: [.range(identity)])
    }

    /// The store's identity in a cluster: the random bytes, and the cluster's own identity, so that a cluster that was
    /// restored from a backup, whose revisions begin earlier, isn't taken for the same.
    static func id(_ response: EtcdTxnResponse, clusterID: UInt64) throws(CallFailure) -> StoreID {
        let bytes = response.responses.last.flatMap(\.responseRange.kvs.first).map { [UInt8]($0.value) } ?? []
        guard bytes.count == 17, bytes[0] == version else {
            throw CallFailure(
                .refused(.unsupportedFormat, remedy: "choose another prefix, or use a newer version of this library"),
                "the prefix has something else than a store")
        }
        let number = { (part: ArraySlice<UInt8>) in part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        return StoreID(low: number(bytes[1...8]), high: number(bytes[9...16]) ^ clusterID)
    }
}
#endif
