internal import ArgumentParser

/// The name of the command on the command line.
enum CommandName {
    /// The argument parser takes an unknown name for an argument of the root command, and 'help' of one for 'help'.
    ///
    /// - Throws: A failure that names the command that was probably meant, if there is no such command.
    static func check() throws {
        var arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "help" { arguments = arguments.dropFirst() }
        guard let name = arguments.first, !name.hasPrefix("-"), name != "help" else { return }
        var visible: [String] = []
        for command in HeartwoodTool.configuration.subcommands {
            guard let known = command.configuration.commandName else { continue }
            if known == name { return }
            if command.configuration.shouldDisplay { visible.append(known) }
        }
        let beginning = visible.filter { !name.isEmpty && $0.hasPrefix(name) }
        let near = visible.filter { distance(name, $0) <= 2 }.min { distance(name, $0) < distance(name, $1) }
        let meant = beginning.count == 1 ? beginning.first : near
        let hint = meant.map { ": did you mean '\($0)'?" } ?? ""
        throw Failure(.usage, "there is no command '\(name)'\(hint) (see 'heartwood --help')")
    }

    /// How many letters are changed, added, removed or exchanged with the next one to get from one text to the other
    /// (Damerau and Levenshtein).
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.lowercased().prefix(64)), Array(right))
        var rows = [Array(0...right.count)]
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                var best = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
