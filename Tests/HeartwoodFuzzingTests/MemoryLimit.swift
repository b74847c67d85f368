#if os(Linux)
import Foundation

/// Limits this process to its current memory and `extra` bytes. An allocation of more ends it.
///
/// All writable memory counts, also an allocation that is never used. A limit on address space would be less exact,
/// because the allocator reserves 64 MiB of it for each thread.
func limitMemory(to extra: Int) throws {
    let present = try writableMemory()
    #if canImport(Musl)
    let resource = RLIMIT_DATA
    #else
    let resource = __rlimit_resource_t(RLIMIT_DATA.rawValue)
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { throw MemoryLimitFailed(code: errno) }
    limit.rlim_cur = rlim_t(present + extra)
    guard setrlimit(resource, &limit) == 0 else { throw MemoryLimitFailed(code: errno) }
}

/// A call of the system failed.
struct MemoryLimitFailed: Error {
    var code: Int32
}

/// Bytes that this process may write to: the sixth number of statm, in pages.
private func writableMemory() throws -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { throw MemoryLimitFailed(code: errno) }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 200)
    guard fgets(&text, Int32(text.count), file) != nil else { throw MemoryLimitFailed(code: errno) }
    let line = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return Int(line.split(separator: " ")[5])! * sysconf(Int32(_SC_PAGESIZE))
}
#endif
