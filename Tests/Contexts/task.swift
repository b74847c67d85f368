// accepts: async async-any async-let read read-any
// refuses: blocking blocking-any

enum InTask {
    // each call
    static func callN(_ store: Store, _ users: Repository<User>, _ note: String) {
        Task {
            var count = note.count
            CALL
            count += 1
            print(count)
        }
    }
    // end
}
