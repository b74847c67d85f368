// accepts: blocking blocking-any read read-any
// refuses: async async-any

actor SynchronousService {
    let store: Store
    var note = "note"
    var count = 0

    init(store: Store) { self.store = store }

    // each call
    func callN() throws {
        CALL
    }
    // end
}
