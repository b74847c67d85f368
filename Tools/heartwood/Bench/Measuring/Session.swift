internal import Heartwood

/// A worker's operations on a database. Used by one worker at a time.
///
/// Writes are `async` because Heartwood's are. Engines whose calls block implement them by functions that aren't
/// `async`, so their loops have no suspension points. Reads block in every engine.
protocol Session: Sendable {
    nonisolated(nonsending) func put(_ key: [UInt8], _ value: [UInt8]) async throws
    nonisolated(nonsending) func remove(_ key: [UInt8]) async throws
    /// Puts what `fill` adds, all or nothing.
    nonisolated(nonsending) func write(_ fill: (_ add: PairAdder) throws -> Void) async throws
    /// Lends the value of a key to `body`; returns false if there is none.
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool
    /// Lends the pairs from a key on (from the first if it is nil), in the order of the keys, until `visit` returns
    /// false.
    func scan(from key: [UInt8]?, _ visit: PairVisitor) throws
    /// Lends all pairs, from the last to the first, until `visit` returns false.
    func scanBackwards(_ visit: PairVisitor) throws
    /// Releases its resources.
    func end()
}

typealias PairAdder = (_ key: [UInt8], _ value: [UInt8]) throws -> Void
typealias PairVisitor = (_ key: RawSpan, _ value: RawSpan) -> Bool

extension Session {
    func end() {}
}

/// A task's use of a Heartwood store.
struct HeartwoodSession: Session {
    let store: Store
    let durability: Durability

    @inline(__always)
    nonisolated(nonsending) func put(_ key: [UInt8], _ value: [UInt8]) async throws {
        try await store.put(key, value, durability: durability)
    }

    @inline(__always)
    nonisolated(nonsending) func remove(_ key: [UInt8]) async throws {
        try await store.remove(key, durability: durability)
    }

    nonisolated(nonsending) func write(_ fill: (_ add: PairAdder) throws -> Void) async throws {
        try await store.write(batch(fill), durability: durability)
    }

    @inline(__always)
    func batch(_ fill: (_ add: PairAdder) throws -> Void) throws -> WriteBatch {
        var batch = store.makeBatch()
        try fill { key, value in batch.put(key, value) }
        return batch
    }

    @inline(__always)
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool {
        try store.withEntry(key) { value, _, _ in body(value) } != nil
    }

    @inline(__always)
    func scan(from key: [UInt8]?, _ visit: PairVisitor) throws {
        try store.scan(key.map { .from($0) } ?? .all).forEach { key, value in visit(key, value) ? .next : .stop }
    }

    @inline(__always)
    func scanBackwards(_ visit: PairVisitor) throws {
        try store.scan(reversed: true).forEach { key, value in visit(key, value) ? .next : .stop }
    }
}
