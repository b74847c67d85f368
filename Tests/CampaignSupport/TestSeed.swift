import Foundation

/// The seed of a test: that of the environment variable HEARTWOOD_SEED, or a random one. Printed with the test's name,
/// so that a failure can be repeated.
package func testSeed(_ name: String) -> UInt64 {
    let given = ProcessInfo.processInfo.environment["HEARTWOOD_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: 1...999_999_999)
    print("\(name): HEARTWOOD_SEED=\(seed)")
    return seed
}
