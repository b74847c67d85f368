// accepts: async async-any async-let read read-any
// refuses: blocking blocking-any
import Heartwood
import HeartwoodTesting

@main
struct Program {
    static func main() async throws {
        let store = try await Store.open(at: "store")
        let note = "note"
        var count = 0
        // each call
        CALL
        // end
        count += note.count
        print(count)
    }
}
