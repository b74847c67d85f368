// accepts: async async-any async-let read read-any
// refuses: blocking blocking-any

enum InTaskGroup {
    // each call
    static func callN(_ store: Store, _ users: Repository<User>, _ note: String) async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                var count = note.count
                CALL
                count += 1
                return count
            }
            try await group.waitForAll()
        }
    }
    // end
}
