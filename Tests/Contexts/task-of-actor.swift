// accepts: async async-any async-let read read-any
// refuses: blocking blocking-any

actor Starter {
    let store: Store
    let users: Repository<User>
    var note = "note"
    var count = 0

    init(store: Store, users: Repository<User>) { (self.store, self.users) = (store, users) }

    // each call
    func callN() {
        Task {
            CALL
            count += note.count
        }
    }
    // end
}
