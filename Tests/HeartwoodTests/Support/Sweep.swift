#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// How much of a file the tests try that change it byte by byte. They take minutes, so `Tools/test` tries some of the
/// bytes, and `.ci/run`, which sets HEARTWOOD_SWEEPS to 1, tries all.
enum Sweep {
    /// From one offset to the next. Less than the shortest commit.
    static let step = getenv("HEARTWOOD_SWEEPS").map { String(cString: $0) } == "1" ? 1 : 37
}
