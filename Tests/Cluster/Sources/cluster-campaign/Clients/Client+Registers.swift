import HeartwoodEtcd
import KeyValueStore

extension Client {
    private mutating func registerName() -> String { "register:\(Int.random(in: 0..<3, using: &random))" }

    mutating func readRegister() async { await read(registerName()) }

    private func read(_ name: String) async {
        await note([]) { store throws(StoreError) in
            [(name, .read(try await store.fetchEntry(Array(name.utf8)).flatMap { number(of: $0.value) }))]
        }
    }

    /// A register that is one key.
    mutating func useRegister() async {
        let name = registerName()
        let key = Array(name.utf8)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: await read(name)
        case 1, 2:
            let value = value()
            await note([(name, .write(value))]) { store throws(StoreError) in
                acknowledge(try await store.write(.init(operations: [.put(key, value)]), durability: nil))
                return [(name, .write(value))]
            }
        case 3:
            await note([(name, .write(nil))]) { store throws(StoreError) in
                acknowledge(
                    try await store.write(
                        .init(operations: [.init(key: key, value: nil), touch]), durability: nil))
                return [(name, .write(nil))]
            }
        default:
            let (expected, new) = (try? await store.fetchEntry(key).flatMap { number(of: $0.value) }, value())
            await compareAndSet(name, expected ?? nil, new) { transaction throws(StoreError) in
                let found = try await transaction.fetchEntry(key).flatMap { number(of: $0.value) }
                if found == expected ?? nil { try transaction.put(key, bytes(new)) }
                return found
            }
        }
    }

    /// A register that is a range: which key of it exists, if any. Its conditions are about ranges, and each change
    /// removes a key.
    mutating func useRange() async {
        let name = "range:\(Int.random(in: 0..<2, using: &random)):"
        let range = KeyRange.prefix(name)
        func only(_ reader: some KeyValueReader) async throws(StoreError) -> Int? {
            let page = try await reader.fetchEntries(in: range, reversed: false, limit: 10)
            // Two keys at once are noted as a value that is never written.
            if page.entries.count > 1 { return -page.entries.count }
            return page.entries.first.flatMap { number(of: $0.value) }
        }
        if Bool.random(using: &random) {
            await note([]) { store throws(StoreError) in [(name, .read(try await only(store)))] }
            return
        }
        let expected = (try? await only(store)) ?? nil
        let new = Int.random(in: 0..<3, using: &random) == 0 ? nil : value()
        await compareAndSet(name, expected, new) { transaction throws(StoreError) in
            let found = try await only(transaction)
            if found == expected {
                if let expected { try transaction.remove(Array("\(name)\(expected)".utf8)) }
                if let new { try transaction.put(Array("\(name)\(new)".utf8), bytes(new)) }
            }
            return found
        }
    }

    private func compareAndSet(
        _ name: String, _ expected: Int?, _ new: Int?,
        _ body: (Transaction) async throws(StoreError) -> Int?
    ) async {
        let unknown = RegisterOperation.Call.compareAndSet(expected: expected, new: new, succeeded: nil)
        await note([(name, unknown)]) { store throws(StoreError) in
            let result = try await transaction(on: store) { (transaction) throws(StoreError) in
                (try await body(transaction), transaction.isReadOnly)
            }
            let (found, isReadOnly) = result.value
            if !isReadOnly { acknowledge(result.sequence) }
            return [(name, .compareAndSet(expected: expected, new: new, succeeded: found == expected))]
        }
    }
}
