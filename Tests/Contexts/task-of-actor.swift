// accepts: async async-any async-let read read-any
// refuses: blocking blocking-any
import Heartwood
import HeartwoodTesting

actor Starter {
    let store: Store
    var note = "note"
    var count = 0

    init(store: Store) { self.store = store }

    // each call
    func callN() {
        Task {
            CALL
            count += note.count
        }
    }
    // end
}
