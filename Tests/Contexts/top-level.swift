// accepts: async async-any async-let read read-any
// refuses: blocking blocking-any

let note = "note"
var count = 0
let store = try await Store.open(at: note)
let users = try await store.repository(User.repository)

// each call
CALL
// end
