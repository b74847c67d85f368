/// Makes a key from the fields of a JSON object or of a line of a table: a single field, or text with fields in braces.
struct KeyTemplate: Sendable {
    private enum Piece: Sendable {
        case text([UInt8])
        /// The index of a field in `fields`.
        case field(Int)
    }

    private var pieces: [Piece] = []
    private var fields: [FieldPath] = []
    /// Whether a dot in a name leads into an object.
    private let hasPaths: Bool

    /// The names of the fields, in order.
    var fieldNames: [String] { fields.map(\.name) }

    /// The key is the value of one field. `name` may lead into nested objects: `address.city`.
    ///
    /// - Throws: ``Problem`` for an invalid name.
    init(field name: String, hasPaths: Bool = true) throws(Problem) {
        self.hasPaths = hasPaths
        try append(field: name)
    }

    /// The key is `template` with each `{field}` replaced. `{{` and `}}` mean braces.
    ///
    /// - Throws: ``Problem`` for an invalid template, or one that would give every line the same key.
    init(template: String, hasPaths: Bool = true) throws(Problem) {
        self.hasPaths = hasPaths
        var rest = Substring(template)
        var text: [UInt8] = []
        while let character = rest.popFirst() {
            if (character == "{" || character == "}") && rest.first == character {
                rest.removeFirst()
                text += String(character).utf8
            } else if character == "{" {
                guard let end = rest.firstIndex(of: "}") else {
                    throw Problem(message: "the key template has a '{' without its '}': write '{{' for a brace")
                }
                pieces.append(.text(text))
                text = []
                try append(field: String(rest[..<end]))
                rest = rest[rest.index(after: end)...]
            } else if character == "}" {
                throw Problem(message: "the key template has a '}' without its '{': write '}}' for a brace")
            } else {
                text += String(character).utf8
            }
        }
        pieces.append(.text(text))
        if fields.isEmpty {
            throw Problem(message: "the key template names no field: give some, as in '{country}/{id}'")
        }
    }

    /// What is wrong with a template.
    struct Problem: Error {
        let message: String
    }

    /// The key of a line that contains one JSON object.
    func key(of line: [UInt8]) throws(JSONProblem) -> [UInt8] {
        var found = [[UInt8]?](repeating: nil, count: fields.count)
        var cursor = JSONCursor(line)
        guard try cursor.kind() == .object else { throw cursor.problem("not a JSON object") }
        try collect(from: &cursor, depth: 0, among: Array(fields.indices), into: &found)
        try cursor.end()
        if let missing = found.firstIndex(of: nil) {
            throw JSONProblem(message: "no field '\(fields[missing].name)'", column: nil)
        }
        return key(of: found.compactMap(\.self))
    }

    /// The key that the values of the fields make.
    func key(of values: [[UInt8]]) -> [UInt8] {
        pieces.reduce(into: []) { key, piece in
            switch piece {
            case .text(let text): key += text
            case .field(let index): key += values[index]
            }
        }
    }

    private mutating func append(field name: String) throws(Problem) {
        let steps =
            hasPaths
            ? name.split(separator: ".", omittingEmptySubsequences: false).map { Array($0.utf8) } : [Array(name.utf8)]
        guard steps.allSatisfy({ !$0.isEmpty }) else {
            throw Problem(message: "'\(name)' names no field: write it as in 'id' or 'address.city'")
        }
        pieces.append(.field(fields.count))
        fields.append(FieldPath(name: name, steps: steps))
    }

    /// Reads an object and takes the values of those `candidates` that are in it, or deeper.
    ///
    /// Recurses no deeper than the longest path: nested values that are not on a path are skipped without recursion.
    private func collect(
        from cursor: inout JSONCursor, depth: Int, among candidates: [Int], into found: inout [[UInt8]?]
    ) throws(JSONProblem) {
        var seen: Set<[UInt8]> = []
        try cursor.object { (name, cursor) throws(JSONProblem) in
            let here = candidates.filter { fields[$0].steps[depth] == name }
            guard !here.isEmpty else { return try cursor.skipValue() }
            guard seen.insert(name).inserted else {
                throw cursor.problem("the field '\(Escaping.text(name))' occurs twice")
            }
            let deeper = here.filter { fields[$0].steps.count > depth + 1 }
            let ending = here.filter { fields[$0].steps.count == depth + 1 }
            switch try cursor.kind() {
            case .object where !deeper.isEmpty && ending.isEmpty:
                try collect(from: &cursor, depth: depth + 1, among: deeper, into: &found)
            case .string where !ending.isEmpty:
                let value = try cursor.string()
                for index in ending { found[index] = value }
            case .number where !ending.isEmpty:
                let value = try cursor.number()
                for index in ending { found[index] = value }
            default:
                guard ending.isEmpty else {
                    throw cursor.problem("the field '\(fields[ending[0]].name)' is neither a string nor a number")
                }
                try cursor.skipValue()
            }
        }
    }
}

/// A field, or a field of a field.
private struct FieldPath: Sendable {
    let name: String
    let steps: [[UInt8]]
}
