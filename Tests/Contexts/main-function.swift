// accepts: async async-any async-let read read-any
// refuses: blocking blocking-any

@main
struct Program {
    static func main() async throws {
        let store = try await Store.open(at: "store")
        let users = try await store.repository(User.repository)
        let note = "note"
        var count = 0
        // each call
        CALL
        // end
        count += note.count + users.name.count
        print(count)
    }
}
