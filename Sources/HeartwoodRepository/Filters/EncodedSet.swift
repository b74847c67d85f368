/// A set of encoded elements, as spans of their byte order: what a condition allows a property to be, or which part of
/// an index is read.
///
/// The ends of spans are *cuts*, positions between encoded elements. The cut before an element is its bytes. The cut
/// after it is its bytes and 0xFF: an element may be the beginning of another one ("a" of "a\0"), and what follows in
/// the longer one is 0xFF, while no element begins with 0xFF. So the same cuts are valid where more elements follow.
struct EncodedSet: Sendable, Hashable {
    /// The elements from `lower` on that come before `upper`. Never empty.
    struct Span: Sendable, Hashable {
        var lower: [UInt8]
        var upper: [UInt8]

        /// The element, if there is only one in it.
        var point: [UInt8]? {
            guard !lower.isEmpty, upper.count == lower.count + 1, upper.last == 0xFF, upper.starts(with: lower) else {
                return nil
            }
            return lower
        }
    }

    /// Sorted and disjoint.
    private(set) var spans: [Span]

    static let start: [UInt8] = []
    static let end: [UInt8] = [0xFF]
    static let all = EncodedSet(spans: [Span(lower: start, upper: end)])
    static let none = EncodedSet(spans: [])
    static let null = EncodedSet(EncodedElement.null)

    private init(spans: [Span]) { self.spans = spans }

    /// One element.
    init(_ element: [UInt8]) { spans = [Span(lower: element, upper: Self.after(element))] }

    /// The elements between two cuts.
    init(from lower: [UInt8], to upper: [UInt8]) {
        spans = KeyOrder.compare(lower, upper) < 0 ? [Span(lower: lower, upper: upper)] : []
    }

    /// Some elements, or the union of spans, in any order.
    ///
    /// - Complexity: O(n log n).
    init(unionOf parts: [Span]) {
        spans = []
        for span in parts.sorted(by: { KeyOrder.compare($0.lower, $1.lower) < 0 }) {
            if let last = spans.last, KeyOrder.compare(span.lower, last.upper) <= 0 {
                if KeyOrder.compare(span.upper, last.upper) > 0 { spans[spans.count - 1].upper = span.upper }
            } else {
                spans.append(span)
            }
        }
    }

    /// The cut after an element.
    static func after(_ element: [UInt8]) -> [UInt8] { element + [0xFF] }

    var isEmpty: Bool { spans.isEmpty }
    var isAll: Bool { self == .all }

    /// The elements, in their order, if there are only single ones.
    var points: [[UInt8]]? {
        var points: [[UInt8]] = []
        for span in spans {
            guard let point = span.point else { return nil }
            points.append(point)
        }
        return points
    }

    /// The element, if it is only one.
    var onlyPoint: [UInt8]? { spans.count == 1 ? spans[0].point : nil }

    /// The smallest span that has all of it.
    var hull: EncodedSet {
        guard let first = spans.first, let last = spans.last else { return .none }
        return EncodedSet(from: first.lower, to: last.upper)
    }

    var complement: EncodedSet {
        var result: [Span] = []
        var lower = Self.start
        for span in spans {
            if KeyOrder.compare(lower, span.lower) < 0 { result.append(Span(lower: lower, upper: span.lower)) }
            lower = span.upper
        }
        if KeyOrder.compare(lower, Self.end) < 0 { result.append(Span(lower: lower, upper: Self.end)) }
        return EncodedSet(spans: result)
    }

    func union(_ other: EncodedSet) -> EncodedSet { EncodedSet(unionOf: spans + other.spans) }

    func intersection(_ other: EncodedSet) -> EncodedSet {
        var result: [Span] = []
        var (left, right) = (spans[...], other.spans[...])
        while let a = left.first, let b = right.first {
            let lower = KeyOrder.compare(a.lower, b.lower) < 0 ? b.lower : a.lower
            let order = KeyOrder.compare(a.upper, b.upper)
            let upper = order < 0 ? a.upper : b.upper
            if KeyOrder.compare(lower, upper) < 0 { result.append(Span(lower: lower, upper: upper)) }
            if order <= 0 { left.removeFirst() }
            if order >= 0 { right.removeFirst() }
        }
        return EncodedSet(spans: result)
    }

    /// The same elements, each after these bytes.
    func prefixed(by prefix: [UInt8]) -> [Span] {
        spans.map { Span(lower: prefix + $0.lower, upper: prefix + $0.upper) }
    }

    /// Whether the element is in the set.
    ///
    /// - Complexity: O(log n) comparisons.
    func contains(_ element: [UInt8]) -> Bool {
        var (low, high) = (0, spans.count)
        while low < high {
            let middle = (low + high) / 2
            if KeyOrder.compare(spans[middle].upper, element) <= 0 { low = middle + 1 } else { high = middle }
        }
        return low < spans.count && KeyOrder.compare(spans[low].lower, element) <= 0
    }
}

extension EncodedSet.Span {
    /// The keys of the span, each after `prefix`.
    func keyRange(after prefix: [UInt8]) -> KeyRange { .range(from: prefix + lower, to: prefix + upper) }
}
