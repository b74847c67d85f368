internal import ArgumentParser

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
        for engine in EngineID.allCases {
            let info = try await engine.info
            print("  \(pad(info.id, 18))\(info.title) \(info.version)\(info.missing.map { "not built: \($0)" } ?? "")")
            for setting in info.settings { print("      \(setting)") }
        }
        let built = EngineID.allCases.filter(\.isBuilt)
        for group in catalogue.groups {
            let chosen = catalogue.rows.filter { $0.info.group == group && $0.plans.contains(parameters.plan) }
            let minutes = PlanTime.total(Schedule.steps(chosen, engines: built), chosen) / 60
            print("\n\(group.uppercased()) (about \(Numbers.decimal(minutes, digits: 1)) minutes)")
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
