extension Filter {
    /// Models whose text begins with a text.
    ///
    /// It is Swift's `hasPrefix`, and the normalised text must begin with the scalars of the normalised prefix: `"x"`
    /// isn't a prefix of `"x\u{301}"`, and `"e"` isn't one of `"é"`.
    public static func hasPrefix(_ path: any KeyPath<Model, String> & Sendable, _ prefix: String) -> Filter {
        beginning(path, prefix) { $0 }
    }

    /// Models whose text isn't nil and begins with a text.
    public static func hasPrefix(_ path: any KeyPath<Model, String?> & Sendable, _ prefix: String) -> Filter {
        beginning(path, prefix) { $0 }
    }

    private static func beginning<Value: TupleElement>(
        _ path: any KeyPath<Model, Value> & Sendable, _ prefix: String, _ text: @escaping @Sendable (Value) -> String?
    ) -> Filter {
        let values = EncodedSet(textBeginningWith: prefix)
        let condition = FilterCondition(
            path: PropertyPath(path), isElement: false, values: values, isExact: false,
            text: { "\(PropertyPath(path).name) begins with \(prefix.debugDescription)" })
        return Filter(.condition(condition)) { model, encoder in
            let value = model[keyPath: path]
            guard text(value)?.hasPrefix(prefix) == true else { return false }
            encoder.removeAll()
            encoder.append(value)
            return values.contains(encoder.bytes)
        }
    }

    /// Models whose property is one of some values. NaN is none of them.
    ///
    /// - Complexity: O(n log n).
    public static func isIn<Value: TupleElement>(
        _ path: any KeyPath<Model, Value> & Sendable, _ values: [Value]
    ) -> Filter {
        let set = EncodedSet(unionOf: values.flatMap { EncodedSet(equalTo: ElementKind.encoded($0)).spans })
        return Filter(path, in: set) {
            let shown = values.prefix(5).map(text).joined(separator: ", ")
            return "\(PropertyPath(path).name) in [\(shown)\(values.count > 5 ? ", …" : "")]"
        }
    }

    /// Models whose property is in a range, and isn't NaN.
    public static func isIn<Value: TupleElement & Comparable>(
        _ path: any KeyPath<Model, Value> & Sendable, _ range: ClosedRange<Value>
    ) -> Filter { path >= range.lowerBound && path <= range.upperBound }

    /// Models whose property is in a range, and isn't NaN.
    public static func isIn<Value: TupleElement & Comparable>(
        _ path: any KeyPath<Model, Value> & Sendable, _ range: Range<Value>
    ) -> Filter { path >= range.lowerBound && path < range.upperBound }

    /// Models whose property is in a range, and is neither nil nor NaN.
    public static func isIn<Value: TupleElement & Comparable>(
        _ path: any KeyPath<Model, Value?> & Sendable, _ range: ClosedRange<Value>
    ) -> Filter { path >= range.lowerBound && path <= range.upperBound }

    /// Models whose property is in a range, and is neither nil nor NaN.
    public static func isIn<Value: TupleElement & Comparable>(
        _ path: any KeyPath<Model, Value?> & Sendable, _ range: Range<Value>
    ) -> Filter { path >= range.lowerBound && path < range.upperBound }

    /// Models whose collection has an element that equals a value. NaN equals nothing.
    public static func contains<Values: Sequence & SendableMetatype>(
        _ path: any KeyPath<Model, Values> & Sendable, _ element: Values.Element
    ) -> Filter where Values.Element: TupleElement {
        let values = EncodedSet(equalTo: ElementKind.encoded(element))
        let condition = FilterCondition(
            path: PropertyPath(path), isElement: true, values: values, isExact: true,
            text: { "\(PropertyPath(path).name) contains \(text(element))" })
        return Filter(.condition(condition)) { model, encoder in
            for candidate in model[keyPath: path] {
                encoder.removeAll()
                encoder.append(candidate)
                if values.contains(encoder.bytes) { return true }
            }
            return false
        }
    }
}
