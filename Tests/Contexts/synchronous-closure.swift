// accepts: blocking blocking-any read read-any
// refuses: async async-any

enum InClosure {
    // each call
    static func callN(_ store: Store, _ users: Repository<User>) throws {
        let body = { (note: String, count: inout Int) throws -> Void in
            CALL
            count += note.count
        }
        var count = 0
        try body("note", &count)
    }
    // end
}
