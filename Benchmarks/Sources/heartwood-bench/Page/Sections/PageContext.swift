/// What every section of the page draws from.
struct PageContext: Sendable {
    let compared: ComparedResults
    private let looks: [String: EngineLook]

    init(_ results: Results) {
        compared = ComparedResults(results)
        looks = EngineLook.all(results.engines)
    }

    var results: Results { compared.results }

    func look(_ engine: EngineInfo) -> EngineLook {
        looks[engine.id] ?? EngineLook(id: engine.id, className: "other-0", marker: .disc, dash: nil)
    }

    /// The engine's shape and title.
    func name(_ engine: EngineInfo) -> Markup { "\(look(engine).key)<span>\(engine.title)</span>" }

    /// Whether anything at all was measured.
    var isEmpty: Bool { compared.comparisons.allSatisfy(\.entries.isEmpty) }
}
