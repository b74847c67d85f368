#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Calls a function of LevelDB or RocksDB, which tell what failed by a message that the caller has to free.
@inline(__always)
func checked<R>(_ peer: String, _ call: (inout UnsafeMutablePointer<CChar>?) -> R) throws -> R {
    var message: UnsafeMutablePointer<CChar>?
    let result = call(&message)
    if let message {
        defer { free(message) }
        throw PeerFailure(peer, String(cString: message))
    }
    return result
}
