/// A property of a model, to be compared with those of indexes.
///
/// It doesn't name the model's type: planning is the same code for all models, which the compiler can't specialise for
/// models of other modules.
struct PropertyPath: Hashable, @unchecked Sendable {
    /// It was made of sendable key paths only: one, or several appended to each other. Appending is what the compiler
    /// can't follow.
    let path: AnyKeyPath

    init<Model>(_ path: any PartialKeyPath<Model> & Sendable) { self.path = path }

    /// One of a `Predicate`, whose key paths are sendable.
    init(ofPredicate path: AnyKeyPath) { self.path = path }

    /// Whether it is a stored property named `id` of the same types as another path to the id.
    func isIdentifier(like other: PropertyPath) -> Bool {
        let (type, otherType) = (Swift.type(of: path), Swift.type(of: other.path))
        return type.valueType == otherType.valueType && type.rootType == otherType.rootType && name == "id"
    }

    /// As in the program, without the type: `address.street`.
    var name: String {
        let text = "\(path)"
        guard text.first == "\\", let dot = text.firstIndex(of: ".") else { return text }
        return String(text[text.index(after: dot)...])
    }

    /// The name without memory addresses, which are those of computed properties: the same in every process that runs
    /// the same program.
    var stableName: String {
        var result = ""
        var rest = name[...]
        while let start = rest.firstRange(of: "0x") {
            result += rest[..<start.upperBound]
            rest = rest[start.upperBound...].drop(while: \.isHexDigit)
        }
        return result + rest
    }
}
