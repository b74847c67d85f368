import Foundation

/// For tests that change a file byte by byte. All bytes take minutes, so `Tools/test` tries some of them. `.ci/run`
/// sets HEARTWOOD_SWEEPS to 1 and tries all.
enum Sweep {
    /// The distance from one offset to the next. Less than the shortest commit.
    static let step = getenv("HEARTWOOD_SWEEPS").map { String(cString: $0) } == "1" ? 1 : 37
}
