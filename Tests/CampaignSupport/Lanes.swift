/// Runs a body for each of some lanes, a few at a time.
///
/// - Returns: The results, in the order of the lanes.
/// - Throws: The first error of a body.
package func inLanes<Lane: Sendable, Result: Sendable>(
    _ lanes: [Lane], jobs: Int, _ body: @escaping @Sendable (Lane) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        var waiting = Array(lanes.enumerated())[...]
        var results: [Int: Result] = [:]
        func startNext() {
            guard let (number, lane) = waiting.popFirst() else { return }
            group.addTask { (number, try await body(lane)) }
        }
        for _ in 0..<max(1, jobs) { startNext() }
        while let (number, result) = try await group.next() {
            results[number] = result
            startNext()
        }
        return lanes.indices.map { results[$0]! }
    }
}
