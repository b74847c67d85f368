/// Counts of what a campaign has done, by name. One that was never raised is 0.
@dynamicMemberLookup
package struct Tally: Sendable {
    package private(set) var counts: [String: Int] = [:]

    package init() {}

    package subscript(name: String) -> Int {
        get { counts[name, default: 0] }
        set { counts[name] = newValue }
    }

    package subscript(dynamicMember name: String) -> Int {
        get { self[name] }
        set { self[name] = newValue }
    }

    package static func += (sum: inout Tally, other: Tally) { sum.counts.merge(other.counts, uniquingKeysWith: +) }
}
