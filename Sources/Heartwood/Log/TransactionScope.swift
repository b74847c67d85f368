internal import HeartwoodFileSystem
internal import Synchronization

/// One run of a transaction's body. The tasks that the body starts inherit it.
///
/// A write to the store inside the body would change what the transaction has read, so the body would run again without
/// end. The store refuses such a write. Writes look for a scope only while the store runs a transaction, so other
/// writes have no cost.
final class TransactionScope: Sendable {
    /// The innermost run that this task is part of.
    @TaskLocal static var current: TransactionScope?

    private let log: ObjectIdentifier
    private let outer: TransactionScope?
    /// A task that the body started may outlive the body, and may write then.
    private let isOver = Atomic(false)

    private init(_ log: Log) {
        self.log = ObjectIdentifier(log)
        outer = Self.current
    }

    /// Begins a run; ``end(in:)`` must follow.
    ///
    /// - Throws: `.invalidArgument` where this task already runs a transaction of the store.
    static func begin(in log: Log) throws(StoreError) -> TransactionScope {
        if contains(log) { throw .transactionInsideTransaction }
        log.withState { $0.life.transactions += 1 }
        return TransactionScope(log)
    }

    func end(in log: Log) {
        isOver.store(true, ordering: .releasing)
        log.withState { $0.life.transactions -= 1 }
    }

    /// Whether this task is part of a run of a transaction of this store.
    static func contains(_ log: Log) -> Bool {
        var scope = current
        while let next = scope {
            if next.log == ObjectIdentifier(log), !next.isOver.load(ordering: .acquiring) { return true }
            scope = next.outer
        }
        return false
    }
}
