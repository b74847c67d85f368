internal import Foundation

/// What is known of a type's encoding.
enum ElementKind {
    /// Never NaN. The order of the bytes is that of Swift's `<`.
    case plain
    /// A `Double`, or a type that is encoded as one.
    case double
    /// A `Float`.
    case float
    /// A type of the program: any elements, in any order, and perhaps equal bytes for values that aren't equal.
    case unknown

    private static let known: [ObjectIdentifier: ElementKind] = {
        var kinds: [ObjectIdentifier: ElementKind] = [:]
        func add<Value>(_ type: Value.Type, _ kind: ElementKind) {
            kinds[ObjectIdentifier(type)] = kind
            kinds[ObjectIdentifier(Value?.self)] = kind
        }
        add(Int.self, .plain)
        add(Int8.self, .plain)
        add(Int16.self, .plain)
        add(Int32.self, .plain)
        add(Int64.self, .plain)
        add(UInt.self, .plain)
        add(UInt8.self, .plain)
        add(UInt16.self, .plain)
        add(UInt32.self, .plain)
        add(UInt64.self, .plain)
        add(Bool.self, .plain)
        add(String.self, .plain)
        add(UUID.self, .plain)
        add(Data.self, .plain)
        add([UInt8].self, .plain)
        add(Double.self, .double)
        add(Date.self, .double)
        add(Float.self, .float)
        return kinds
    }()

    /// The kind of a type, or of an optional of it.
    static func of(_ type: any Any.Type) -> ElementKind { known[ObjectIdentifier(type)] ?? .unknown }

    /// Whether each value of a type has the same bytes after a coder has encoded and decoded it.
    static func isKept(_ type: any Any.Type, by coder: any ModelCoder) -> Bool {
        switch of(type) {
        case .plain: return true
        case .double, .float: return coder is PropertyListCoder || (coder as? JSONCoder)?.keepsDates ?? false
        case .unknown:
            if let raw = type as? any RawRepresentable.Type { return isKept(rawValue(of: raw), by: coder) }
            return (type as? any CompositeElement.Type)?.parts.allSatisfy { isKept($0, by: coder) } ?? false
        }
    }

    private static func rawValue<Raw: RawRepresentable>(of: Raw.Type) -> any Any.Type { Raw.RawValue.self }

    private static let afterNull = EncodedSet.after(EncodedElement.null)
    private static let afterDoubles = EncodedSet.after(EncodedElement.doubleInfinity)
    private static let afterFloats = EncodedSet.after(EncodedElement.floatInfinity)
    private static let anyPlain = EncodedSet(from: afterNull, to: EncodedSet.end)
    private static let anyDouble = EncodedSet(from: afterNull, to: afterDoubles)
    private static let anyFloat = EncodedSet(from: afterNull, to: afterFloats)
    private static let anything = anyPlain.intersection(
        EncodedSet(Self.encoded(Double.nan)).union(EncodedSet(Self.encoded(Float.nan))).complement)

    /// The cuts after all elements that `>` can match, of any kind.
    static let ends = [EncodedSet.end, afterDoubles, afterFloats]

    /// The elements that `<` and the other comparisons can match: neither nil nor NaN.
    var comparable: EncodedSet {
        switch self {
        case .plain: Self.anyPlain
        case .double: Self.anyDouble
        case .float: Self.anyFloat
        case .unknown: Self.anything
        }
    }

    /// The bytes of a value.
    static func encoded(_ value: some TupleElement) -> [UInt8] {
        var encoder = TupleEncoder()
        encoder.append(value)
        return encoder.bytes
    }
}

/// An element that is made of others.
private protocol CompositeElement {
    static var parts: [any Any.Type] { get }
}

extension Optional: CompositeElement {
    static var parts: [any Any.Type] { [Wrapped.self] }
}

extension KeyTuple: CompositeElement {
    static var parts: [any Any.Type] {
        var parts: [any Any.Type] = []
        for part in repeat (each Element).self { parts.append(part) }
        return parts
    }
}

extension EncodedSet {
    /// A comparison with a bound.
    enum Comparison: String {
        case less = "<"
        case atMost = "<="
        case greater = ">"
        case atLeast = ">="
    }

    /// The elements of a kind that compare so with a bound: none if that is nil or NaN.
    init(_ comparison: Comparison, _ bound: [UInt8], _ kind: ElementKind) {
        guard kind.comparable.contains(bound) else {
            self = .none
            return
        }
        let part =
            switch comparison {
            case .less: EncodedSet(from: Self.start, to: bound)
            case .atMost: EncodedSet(from: Self.start, to: Self.after(bound))
            case .greater: EncodedSet(from: Self.after(bound), to: Self.end)
            case .atLeast: EncodedSet(from: bound, to: Self.end)
            }
        self = kind.comparable.intersection(part)
    }

    /// The elements that equal a value: none if that is NaN.
    init(equalTo value: [UInt8]) { self = EncodedElement.isNaN(value) ? .none : EncodedSet(value) }

    /// The texts that begin with a text.
    init(textBeginningWith text: String) {
        let range = EncodedElement.stringPrefixRange(text, after: [])
        guard case .included(let lower) = range.lower, case .excluded(let upper) = range.upper else {
            self = .all
            return
        }
        self.init(from: lower, to: upper)
    }
}
