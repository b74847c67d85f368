// accepts: blocking read
// refuses: blocking-any

enum SynchronousWithTypedThrows {
    // each call
    static func callN(
        _ store: Store, _ users: Repository<User>, _ note: String, _ count: inout Int
    ) throws(StoreError) {
        CALL
    }
    // end
}
