// The model of `users`, compiled with every context. It is 'nonisolated' because a repository uses it on any actor,
// also where the default isolation is another.
import HeartwoodRepository

nonisolated struct User: Codable, Identifiable, Sendable {
    var id: Int
    var name = ""
    var visits = 0

    static let repository = RepositoryDefinition<User>("users", indexes: [Index("name", \.name)])
}
