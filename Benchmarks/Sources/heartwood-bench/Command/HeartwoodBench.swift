internal import ArgumentParser
internal import Foundation

/// The command line.
@main
struct HeartwoodBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heartwood-bench",
        abstract: "Measures Heartwood and other engines: the same work, at the same durability, in one run.",
        discussion: """
            The default subcommand is 'run': 'heartwood-bench --quick' is 'heartwood-bench run --quick'. \
            Benchmarks/README.md explains what is measured, how the engines are set, and what the figures mean.
            """,
        subcommands: [
            RunCommand.self, ListCommand.self, TableCommand.self, FiguresCommand.self, CellCommand.self,
        ],
        defaultSubcommand: RunCommand.self
    )
}

/// The child process: executes the parent's request, and prints the result as JSON. Not for users.
struct CellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "cell", shouldDisplay: false)

    @Argument(help: "What to do, as JSON.")
    var spec: String

    func run() async throws {
        // Ctrl-C goes to all processes of the terminal, but the parent ends its children.
        signal(SIGINT, SIG_IGN)
        Thread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            _exit(1)
        }.start()
        do {
            let cell = try Cell(JSONDecoder().decode(CellSpec.self, from: Data(spec.utf8)))
            guard let subject = cell.spec.engine.subject(for: cell.row.work) else {
                throw CellFailure(failure: "this program was built without \(cell.spec.engine.rawValue)")
            }
            if let measured = try await subject.run(cell) {
                print(String(decoding: try JSONEncoder().encode(measured.run), as: UTF8.self))
            } else if cell.spec.action == .makeFixture {
                print("ready")
                fflush(nil)
                // The parent kills this process if the fixture is a killed store.
                if cell.row.fixture?.isKilled == true { try await Task.sleep(for: .seconds(3_600)) }
            }
        } catch {
            print(String(decoding: try JSONEncoder().encode(CellFailure(failure: "\(error)")), as: UTF8.self))
            throw ExitCode(1)
        }
    }
}

/// Lists rows and engines.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the rows and engines that --only and --engines take.",
        discussion: """
            Shows the rows of the default plan, or of the plan of --quick or --full, and about how long it takes. Rows \
            that the plan leaves out are marked; they are measured if --only names them.
            """)

    @Flag(help: "The rows of the quick plan.")
    var quick = false

    @Flag(help: "The rows of the full plan.")
    var full = false

    func run() async throws {
        let parameters = Parameters(quick ? .quick : full ? .full : .default)
        let catalogue = Catalogue(parameters)
        print("ENGINES")
        for info in EngineID.allCases.map(\.info) {
            print("  \(pad(info.id, 18))\(info.title) \(info.version)\(info.missing.map { "not built: \($0)" } ?? "")")
            for setting in info.settings { print("      \(setting)") }
        }
        let built = EngineID.allCases.filter(\.isBuilt)
        for group in catalogue.groups {
            let chosen = catalogue.rows.filter { $0.info.group == group && $0.plans.contains(parameters.plan) }
            let minutes = PlanTime.total(Schedule.steps(chosen, engines: built), chosen) / 60
            print("\n\(group.uppercased()) (about \(Numbers.decimal(minutes, places: 1)) minutes)")
            for row in catalogue.rows where row.info.group == group {
                let isIn = row.plans.contains(parameters.plan)
                let promise = row.info.promise.map { " [\($0.title)]" } ?? ""
                print("  \(pad(row.id, 26))\(isIn ? "" : "(not in this plan) ")\(row.info.title)\(promise)")
            }
        }
        let rows = try catalogue.select(nil)
        let steps = Schedule.steps(rows, engines: built)
        print("\n\(steps.count) runs of \(rows.count) rows, about \(Int(PlanTime.total(steps, rows) / 60) + 1) minutes")
    }

    private func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}

/// Prints results as text.
struct TableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "table", abstract: "Print the table that 'run' prints, from a file of results.",
        discussion: """
            EXAMPLE
              Benchmarks/run table Benchmarks/Results/full.json > Benchmarks/Results/full.txt
            """)

    @Argument(help: "The file that --json wrote.")
    var results: String

    func run() async throws {
        print(
            ResultsTable(try ResultsFile(path: results).readExisting(), style: .ofStandardOutput).text, terminator: "")
    }
}

/// Puts figures from results into documents.
struct FiguresCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "figures", abstract: "Put figures from a file of results into documents.",
        discussion: """
            In Markdown, the text between the lines '<!-- figures: NAME -->' and '<!-- /figures -->' is replaced by \
            the table with that name: 'summary', 'behind' (where peers are ahead), 'machine', or a group of rows \
            ('durable', 'reading', …).

            EXAMPLE
              Benchmarks/run figures results.json README.md Benchmarks/README.md

            EXIT CODES
              0    done; with --check: everything was up to date
              1    with --check: a document has other figures; or a document can't be updated
            """)

    @Flag(help: "Change nothing; only report whether the documents have these figures.")
    var check = false

    @Argument(help: "The file that --json wrote.")
    var results: String

    @Argument(help: "The documents.")
    var documents: [String]

    func run() async throws {
        let figures = ReadmeFigures(try ResultsFile(path: results).readExisting())
        var isUpToDate = true
        for document in documents {
            let text = try String(contentsOfFile: document, encoding: .utf8)
            let update: ReadmeFigures.Update
            do { update = try figures.update(text) } catch {
                throw WrongFile(path: document, reason: "can't be updated: \(error)")
            }
            guard !update.names.isEmpty else {
                throw WrongFile(path: document, reason: "has no line '<!-- figures: NAME -->'")
            }
            guard !update.isUpToDate else { continue }
            isUpToDate = false
            let outdated = update.outdated.joined(separator: ", ")
            print("\(document): \(check ? "has other" : "has new") figures in \(outdated)")
            if !check { try Data(update.text.utf8).write(to: URL(fileURLWithPath: document), options: .atomic) }
        }
        if check, !isUpToDate { throw ExitCode(1) }
    }
}
