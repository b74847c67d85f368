/// CSV as in RFC 4180, or the same with another separator. The first line names the columns.
struct TableFormat: Sendable {
    let separator: UInt8
    private let key: KeyTemplate
    /// The column that is the value; nil if all are, as a JSON object.
    private let value: String?
    /// Nil until the first line was read.
    private var columns: Columns?

    private struct Columns: Sendable {
        var names: [String]
        /// Where the fields of the key are.
        var key: [Int]
        var value: Int?
    }

    /// - Parameter names: The columns, separated by commas, if the input doesn't begin with a line that names them.
    init(separator: UInt8, key: KeyTemplate, value: String?, names: String?) throws(JSONProblem) {
        (self.separator, self.key, self.value) = (separator, key, value)
        if let names { columns = try columns(try Self.fields(Array(names.utf8), UInt8(ascii: ","))) }
    }

    var hasColumns: Bool { columns != nil }

    /// The record that a line describes; nil for the line that names the columns.
    mutating func record(_ line: Line) throws(JSONProblem) -> Record? {
        let fields = try Self.fields(line.bytes, separator)
        guard let columns else {
            columns = try columns(fields)
            return nil
        }
        guard fields.count == columns.names.count else {
            throw Self.problem(
                "\(Numbers.count(fields.count, "field")) for \(Numbers.count(columns.names.count, "column"))")
        }
        let value = columns.value.map { fields[$0] } ?? Self.object(columns.names, fields)
        return Record(key: key.key(of: columns.key.map { fields[$0] }), value: value, expires: nil, line: line.number)
    }

    private static func problem(_ message: String) -> JSONProblem { JSONProblem(message: message, column: nil) }

    private static func object(_ names: [String], _ fields: [[UInt8]]) -> [UInt8] {
        var json = JSONText()
        for (name, field) in zip(names, fields) { json.add(name, field) }
        return json.bytes
    }

    private func columns(_ fields: [[UInt8]]) throws(JSONProblem) -> Columns {
        var positions: [String: Int] = [:]
        let names = fields.map { String(decoding: $0, as: UTF8.self) }
        for (position, name) in names.enumerated() where positions.updateValue(position, forKey: name) != nil {
            throw Self.problem("the column '\(Escaping.line(name))' occurs twice")
        }
        func position(_ name: String) throws(JSONProblem) -> Int {
            if let position = positions[name] { return position }
            let some = names.prefix(20).map(Escaping.line).joined(separator: ", ")
            throw Self.problem("no column '\(name)': there are \(some)\(names.count > 20 ? ", …" : "")")
        }
        var columns = Columns(names: names, key: [])
        for name in key.fieldNames { columns.key.append(try position(name)) }
        if let value { columns.value = try position(value) }
        return columns
    }

    /// The fields of a line. One that begins with a quote ends at the next single one, and may contain separators, line
    /// ends and doubled quotes. In other fields quotes are text.
    private static func fields(_ line: [UInt8], _ separator: UInt8) throws(JSONProblem) -> [[UInt8]] {
        var fields: [[UInt8]] = []
        var at = 0
        repeat {
            if at < line.count, line[at] == quote {
                fields.append(try quoted(line, &at, number: fields.count + 1))
                guard at == line.count || line[at] == separator else {
                    throw JSONProblem(message: "text after the closing quote of field \(fields.count)", column: at + 1)
                }
            } else {
                let end = line[at...].firstIndex(of: separator) ?? line.count
                fields.append(Array(line[at..<end]))
                at = end
            }
            at += 1
        } while at <= line.count
        return fields
    }

    /// The text of a field in quotes, which begins at `at`.
    private static func quoted(_ line: [UInt8], _ at: inout Int, number: Int) throws(JSONProblem) -> [UInt8] {
        var field: [UInt8] = []
        at += 1
        while let end = line[at...].firstIndex(of: quote) {
            field += line[at..<end]
            at = end + 1
            guard at < line.count, line[at] == quote else { return field }
            field.append(quote)
            at += 1
        }
        throw Self.problem("the quote that begins field \(number) has no end")
    }

    private static let quote = UInt8(ascii: "\"")
}
