internal import Foundation

/// Calls a function of LevelDB or RocksDB, which report a failure by a message that the caller must free.
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

/// Bytes that a library lends.
@inline(__always)
func lent(_ start: UnsafeRawPointer?, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: count)
}

/// The size of an engine's cache where its documentation advises a share of the machine's memory: a third.
enum CacheAdvice {
    static var bytes: Int {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let size = sysconf(Int32(_SC_PAGESIZE))
        return max(256 << 20, pages * size / 3)
    }
}
