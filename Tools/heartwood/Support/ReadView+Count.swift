internal import Heartwood

extension ReadView {
    /// The number of keys of a range. O(keys), without I/O.
    func count(of range: KeyRange) throws -> Int {
        var count = 0
        try forEachKey(in: range) { _ in
            count += 1
            return .next
        }
        return count
    }
}
