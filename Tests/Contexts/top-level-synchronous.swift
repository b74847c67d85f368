// accepts: blocking blocking-any read read-any

// The top level has no 'await', so it isn't asynchronous.
let note = "note"
var count = 0
let store = try Store(openingAt: note)

// each call
CALL
// end
