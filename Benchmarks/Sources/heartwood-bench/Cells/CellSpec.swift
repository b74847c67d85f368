/// A request of the parent to a child process: one run of one cell, or making a fixture.
struct CellSpec: Sendable, Codable {
    enum Action: String, Sendable, Codable {
        case measure
        case makeFixture
        /// Tries the changes from number `run` on.
        case damage
    }

    var action: Action
    var engine: EngineID
    var parameters: Parameters
    /// The row; for a fixture, any row that starts from it.
    var row: String
    /// The number of the run, counted from 0. Each run reads other keys.
    var run: Int
    /// The directory of the store: empty, a fixture, or a copy of a fixture.
    var store: String
    /// An empty directory for other files.
    var scratch: String
}
