#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Calls a function of LevelDB or RocksDB, which tell what failed by a message that the caller has to free.
@inline(__always)
func checked<R>(_ engine: String, _ call: (inout UnsafeMutablePointer<CChar>?) -> R) throws -> R {
    var message: UnsafeMutablePointer<CChar>?
    let result = call(&message)
    if let message {
        defer { free(message) }
        throw EngineFailure(engine, String(cString: message))
    }
    return result
}

extension [UInt8] {
    /// Lends the elements as C's `char`.
    @inline(__always)
    func withCharacters<R>(_ body: (UnsafePointer<CChar>?, Int) throws -> R) rethrows -> R {
        try withUnsafeBytes { bytes in try body(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count) }
    }
}

/// Bytes that a library has lent.
@inline(__always)
func lent(_ start: UnsafeRawPointer?, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: count)
}

/// The memory that an engine's cache may take where its documentation advises a share of the machine's: a third.
enum CacheAdvice {
    static var bytes: Int {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let size = sysconf(Int32(_SC_PAGESIZE))
        return max(256 << 20, pages * size / 3)
    }
}
