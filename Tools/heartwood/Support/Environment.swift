#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The environment variables.
enum Environment {
    static subscript(name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
