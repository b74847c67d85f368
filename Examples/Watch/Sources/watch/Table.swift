import Foundation

/// The table: drawn in place on a terminal; otherwise each row that has changed is printed.
actor Table {
    private let country: String
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private(set) var rows: [City] = []
    private(set) var updates = 0

    init(country: String) { self.country = country }

    func draw(_ newRows: [City]) {
        let before = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0.population) })
        let previousLines = updates == 0 ? 0 : rows.count + 1
        rows = newRows
        updates += 1
        var text = ""
        if isTerminal {
            // Up to the first line of the last drawing, and clear from there.
            if previousLines > 0 { text += "\u{1B}[\(previousLines)A\u{1B}[J" }
            text += "\u{1B}[1mThe largest cities of \(country), update \(updates)\u{1B}[0m\n"
        }
        for (index, city) in rows.enumerated() {
            // Nil for a row that is new.
            let change = before[city.id].map { city.population - $0 }
            if !isTerminal, change == 0 { continue }
            text += line(index + 1, city, change) + "\n"
        }
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    private func line(_ rank: Int, _ city: City, _ change: Int?) -> String {
        let name = city.name + String(repeating: " ", count: max(0, 24 - city.name.count))
        var line = padded("\(rank)", 3) + "  " + name + padded(grouped(city.population), 12)
        guard let change, change != 0 else { return line }
        line += padded((change > 0 ? "+" : "") + grouped(change), 12)
        return !isTerminal ? line : "\u{1B}[\(change > 0 ? 32 : 31)m\(line)\u{1B}[0m"
    }

    private func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private func grouped(_ number: Int) -> String {
        number.formatted(.number.locale(Locale(identifier: "en_US")))
    }
}
