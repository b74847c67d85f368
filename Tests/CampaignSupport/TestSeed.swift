import Foundation

/// The seed of a test: 1, or that of the environment variable HEARTWOOD_SEED, for hunting. Printed with the test's
/// name, so that a failure can be repeated.
package func testSeed(_ name: String) -> UInt64 {
    let seed = ProcessInfo.processInfo.environment["HEARTWOOD_SEED"].flatMap { UInt64($0) } ?? 1
    print("\(name): HEARTWOOD_SEED=\(seed)")
    return seed
}
