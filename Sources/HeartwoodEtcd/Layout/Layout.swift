#if Etcd
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import KeyValueStore

/// Where a store's keys are in the cluster: the prefix, a letter, and for some a key of the store.
///
/// | letter | then | value |
/// |---|---|---|
/// | `d` | a key | its value; a lease with the second of its expiry as its number |
/// | `f` | a key that was removed | a fence: empty |
/// | `h` | | the horizon, a revision: fences of older removals may have been swept |
/// | `i` | | the version of this layout, and the store's identity |
/// | `n` | | never written |
/// | `s` | a client and a number | a slot: the number of its last commit |
/// | `x` | | empty; exists once a key with an expiry was put |
struct Layout: Sendable {
    let prefix: [UInt8]

    /// A bound, and where a range ends that has it as its end.
    typealias Bounds = (lower: Data, upper: Data)

    private func name(_ letter: Character) -> Data { Data(prefix + (letter.asciiValue.map { [$0] } ?? [])) }

    var horizon: Data { name("h") }
    var identity: Data { name("i") }
    var neverWritten: Data { name("n") }
    var expiryMarker: Data { name("x") }
    /// All slots.
    var slots: Bounds { (name("s"), name("t")) }
    /// All fences.
    var fences: Bounds { (name("f"), name("g")) }

    func slot(_ client: UInt64, _ number: UInt64) -> Data {
        name("s") + Data((hexadecimal(client) + hexadecimal(number)).utf8)
    }

    func data(_ key: [UInt8]) -> Data { name("d") + key }
    func fence(_ key: [UInt8]) -> Data { name("f") + key }

    /// The store's key of one in the cluster, which must begin with the prefix and a letter.
    func key(_ data: Data) -> [UInt8] { [UInt8](data.dropFirst(prefix.count + 1)) }

    /// Whether a key of the cluster is between bounds.
    static func contains(_ bounds: Bounds, _ key: Data) -> Bool {
        !key.lexicographicallyPrecedes(bounds.lower) && key.lexicographicallyPrecedes(bounds.upper)
    }

    /// The entries of a range; nil if the range is empty.
    func data(_ range: KeyRange) -> Bounds? { bounds(range, name("d"), name("e")) }
    /// The fences of a range; nil if the range is empty.
    func fences(_ range: KeyRange) -> Bounds? { bounds(range, name("f"), name("g")) }

    private func bounds(_ range: KeyRange, _ first: Data, _ end: Data) -> Bounds? {
        let lower: Data =
            switch range.lower {
            case .unbounded: first
            case .included(let key): first + key
            case .excluded(let key): first + key + [0]
            }
        let upper: Data =
            switch range.upper {
            case .unbounded: end
            case .included(let key): first + key + [0]
            case .excluded(let key): first + key
            }
        // Equal bounds are compared here, too: etcd refuses a watch of an empty range.
        return lower.lexicographicallyPrecedes(upper) ? (lower, upper) : nil
    }
}

/// Eight bytes, in an order in which they compare as the number.
func ordered(_ revision: Int64) -> Data { withUnsafeBytes(of: revision.bigEndian) { Data($0) } }

/// The number of eight bytes; nil if they aren't eight.
func revision(_ data: Data) -> Int64? {
    data.count == 8 ? Int64(bitPattern: data.reduce(0) { $0 << 8 | UInt64($1) }) : nil
}
#endif
