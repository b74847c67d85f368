// accepts: async read
// refuses: async-any blocking

enum WithTypedThrows {
    // each call
    static func callN(
        _ store: Store, _ users: Repository<User>, _ note: String, _ count: inout Int
    ) async throws(StoreError) {
        CALL
    }
    // end
}
