// accepts: blocking blocking-any read read-any
// refuses: async async-any

enum InFunction {
    // each call
    static func callN(_ store: Store, _ users: Repository<User>, _ note: String, _ count: inout Int) throws {
        CALL
    }
    // end
}
