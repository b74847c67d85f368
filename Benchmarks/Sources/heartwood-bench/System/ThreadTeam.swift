/// Threads that do the same at the same time.
enum ThreadTeam {
    /// Calls `body` on that many threads of the system, each with its number.
    static func run<R: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) throws -> R) async throws -> [R] {
        try await withThrowingTaskGroup(of: R.self) { group in
            for number in 0..<count {
                group.addTask { try await onThread { try body(number) } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
