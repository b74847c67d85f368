/// Encoded elements and spans of them as readable text, for explanations.
enum EncodedText {
    /// An element; its bytes, if it isn't valid.
    static func element(_ bytes: [UInt8]) -> String {
        valid(bytes) ?? "0x" + EncodedElement.hexadecimal(bytes)
    }

    /// A condition on a property.
    static func condition(_ name: String, _ set: EncodedSet) -> String {
        if set.isAll { return "any \(name)" }
        if let point = set.onlyPoint { return "\(name) == \(element(point))" }
        if let points = set.points { return "\(name) in \(points.count) values" }
        guard set.spans.count == 1 else { return "\(name) in \(set.spans.count) ranges" }
        return span(name, set.spans[0])
    }

    private static func span(_ name: String, _ span: EncodedSet.Span) -> String {
        var conditions: [String] = []
        let hasEnd = !ElementKind.ends.contains(span.upper)
        if span.lower == EncodedSet.after(EncodedElement.null) {
            if !hasEnd { return "\(name) != null" }
        } else if !span.lower.isEmpty {
            if let text = beginning(span) { return "\(name) begins with \(text)" }
            conditions.append(cut(name, span.lower, before: ">=", after: ">"))
        }
        if hasEnd { conditions.append(cut(name, span.upper, before: "<", after: "<=")) }
        return conditions.joined(separator: " && ")
    }

    private static func cut(_ name: String, _ cut: [UInt8], before: String, after: String) -> String {
        if let text = valid(cut) { return "\(name) \(before) \(text)" }
        if cut.last == 0xFF, let text = valid(Array(cut.dropLast())) { return "\(name) \(after) \(text)" }
        return "\(name) \(before) 0x\(EncodedElement.hexadecimal(cut))"
    }

    /// The text that all elements of the span begin with, if it was made of one.
    private static func beginning(_ span: EncodedSet.Span) -> String? {
        guard span.lower.first == TupleCode.string, valid(span.lower) == nil,
            KeyRange.prefix(span.lower).upper == .excluded(span.upper)
        else { return nil }
        return valid(span.lower + [TupleCode.terminator])
    }

    private static func valid(_ bytes: [UInt8]) -> String? {
        var decoder = TupleDecoder(bytes)
        guard let value = try? decoder.decode(TupleValue.self), decoder.isAtEnd else { return nil }
        return value.description
    }
}
