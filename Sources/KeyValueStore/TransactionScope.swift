internal import Synchronization

/// One run of the body of a transaction. The tasks that the body starts inherit it.
///
/// A write to the store inside the body would change what the transaction has read, so the body would run again without
/// end. So the store refuses such a write, whichever call has made the transaction, and whichever call writes.
package final class TransactionScope: Sendable {
    /// The innermost run that this task is part of.
    @TaskLocal package static var current: TransactionScope?

    private let store: ObjectIdentifier
    private let counter: (any TransactionCounter)?
    private let outer: TransactionScope?
    /// A task that the body started may outlive the body, and may write then.
    private let isOver = Atomic(false)

    /// Begins a run; ``end()`` must follow.
    package init(_ store: AnyObject, _ counter: (any TransactionCounter)?) {
        (self.store, self.counter, outer) = (ObjectIdentifier(store), counter, Self.current)
        counter?.bodyBegan()
    }

    package func end() {
        isOver.store(true, ordering: .releasing)
        counter?.bodyEnded()
    }

    /// Whether this task is part of a run of a transaction on this store.
    package static func contains(_ store: ObjectIdentifier) -> Bool {
        var scope = current
        while let next = scope {
            if next.store == store, !next.isOver.load(ordering: .acquiring) { return true }
            scope = next.outer
        }
        return false
    }

    /// Calls `body` as if this task ran no transaction. For what is no part of one, such as opening a repository.
    package nonisolated(nonsending) static func outside<R>(
        _ body: () async throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        if current == nil { return try await body() }
        let result: Result<R, StoreError> = await $current.withValue(nil) {
            do throws(StoreError) { return .success(try await body()) } catch { return .failure(error) }
        }
        return try result.get()
    }
}

/// An engine that counts the bodies of transactions that run, so that its writes look for a scope only then.
package protocol TransactionCounter: AnyObject, Sendable {
    func bodyBegan()
    func bodyEnded()
}

extension Transaction {
    /// Throws inside the body of a transaction on a store, and in tasks that the body has started, as long as it runs.
    /// Engines call it first in ``KeyValueStore/write(_:durability:)``: such a write would make the body run again
    /// without end.
    ///
    /// - Throws: `.invalidArgument`.
    /// - Complexity: O(1).
    public static func checkOutside(of store: any KeyValueStore) throws(StoreError) {
        if TransactionScope.contains(ObjectIdentifier(store)) { throw .writeInsideTransaction }
    }
}

extension StoreError {
    package static let writeInsideTransaction = StoreError(
        .invalidArgument,
        "the store was written inside the body of a transaction on it, which would make the body run again without "
            + "end; nothing was written: write with the transaction, or when it has returned")

    package static let overlappingCalls = StoreError(
        .invalidArgument,
        "two calls write with one transaction at the same time: await one before you make the next")

    package static let transactionIsOver = StoreError(
        .invalidArgument,
        "a transaction was used after its body has ended; nothing was written: use it only inside its body, and await "
            + "there what uses it")
}
