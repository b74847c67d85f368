/// What the parent asks of a child process: one run of one cell, or the making of a fixture.
struct CellSpec: Sendable, Codable {
    enum Action: String, Sendable, Codable {
        case measure
        case makeFixture
        /// Changes from number `run` on.
        case damage
    }

    var action: Action
    var engine: EngineID
    var parameters: Parameters
    /// The row; where a fixture is made, any that starts from it.
    var row: String
    /// Which run it is, counted from 0: each reads other keys.
    var run: Int
    /// The directory of the store: empty, or a fixture or a copy of one.
    var store: String
    /// An empty directory for what else it needs.
    var scratch: String
}
