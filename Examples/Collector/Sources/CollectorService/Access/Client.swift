/// Who may do what: a name, which the operator chose, and a scope.
struct Client: Hashable, Sendable {
    /// What a token allows.
    enum Scope: String, Sendable { case write, read }

    /// Names the client in logs and limits. Its idempotency keys are its own.
    var name: String
    var scope: Scope
}
