import HeartwoodEtcd
import HistoryChecking
import KeyValueStore

/// A program that uses the store, and notes what it sees.
struct Client {
    let id: Int
    let store: EtcdStore
    let recorder: HistoryRecorder
    var random: SeededRandom
    /// Of values, so that none is written twice.
    private var written = 0

    init(_ number: Int, _ store: EtcdStore, _ recorder: HistoryRecorder, seed: UInt64) {
        (id, self.store, self.recorder) = (number, store, recorder)
        random = SeededRandom(seed: seed &* 1_000 &+ UInt64(number))
    }

    private mutating func value() -> Int {
        written += 1
        return id * 1_000_000 + written
    }

    /// Calls until the task is cancelled.
    mutating func run() async {
        while !Task.isCancelled {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4: await useRegister()
            case 4..<7: await useRange()
            default: await useLists()
            }
        }
    }

    // MARK: Registers

    /// A register that is one key.
    private mutating func useRegister() async {
        let name = "register:\(Int.random(in: 0..<5, using: &random))"
        let key = Array(name.utf8)
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
            await note(name, .read(nil)) { store throws(StoreError) in
                .read(try await store.fetchEntry(key).flatMap { number(of: $0.value) })
            }
        case 2:
            let value = value()
            await note(name, .write(value)) { store throws(StoreError) in
                acknowledge(try await store.commit(.init(operations: [.put(key, value)]), durability: nil))
                return .write(value)
            }
        case 3:
            // With another key: the removal of an absent key isn't in a feed.
            let touched = KeyValueBatch.Operation.put(Array("touched:\(id)".utf8), value())
            await note(name, .write(nil)) { store throws(StoreError) in
                acknowledge(
                    try await store.commit(
                        .init(operations: [.init(key: key, value: nil), touched]), durability: nil))
                return .write(nil)
            }
        default:
            let (expected, new) = (try? await store.fetchEntry(key).flatMap { number(of: $0.value) }, value())
            await compareAndSet(name, expected ?? nil, new) { transaction throws(StoreError) in
                let found = try await transaction.fetchEntry(key).flatMap { number(of: $0.value) }
                if found == expected ?? nil { transaction.put(key, bytes(new)) }
                return found
            }
        }
    }

    /// A register that is a range: which key of it exists, if any. Its conditions are about ranges, and each change
    /// removes a key.
    private mutating func useRange() async {
        let name = "range:\(Int.random(in: 0..<3, using: &random)):"
        let range = KeyRange.prefix(name)
        func only(_ reader: some KeyValueReader) async throws(StoreError) -> Int? {
            let page = try await reader.fetchEntries(in: range, reversed: false, limit: 10)
            // Two keys at once are noted as a value that is never written.
            if page.entries.count > 1 { return -page.entries.count }
            return page.entries.first.flatMap { number(of: $0.value) }
        }
        if Bool.random(using: &random) {
            await note(name, .read(nil)) { store throws(StoreError) in .read(try await only(store)) }
            return
        }
        let expected = (try? await only(store)) ?? nil
        let new = Int.random(in: 0..<3, using: &random) == 0 ? nil : value()
        await compareAndSet(name, expected, new) { transaction throws(StoreError) in
            let found = try await only(transaction)
            if found == expected {
                if let expected { transaction.remove(Array("\(name)\(expected)".utf8)) }
                if let new { transaction.put(Array("\(name)\(new)".utf8), bytes(new)) }
            }
            return found
        }
    }

    private func compareAndSet(
        _ name: String, _ expected: Int?, _ new: Int?,
        _ body: (KeyValueTransaction) async throws(StoreError) -> Int?
    ) async {
        let unknown = RegisterOperation.Call.compareAndSet(expected: expected, new: new, succeeded: nil)
        await note(name, unknown) { store throws(StoreError) in
            let result = try await transaction(on: store) { (transaction) throws(StoreError) in
                (try await body(transaction), transaction.isReadOnly)
            }
            let (found, isReadOnly) = result.value
            if !isReadOnly { acknowledge(result.sequence) }
            return .compareAndSet(expected: expected, new: new, succeeded: found == expected)
        }
    }

    /// Notes a call and its result.
    private func note(
        _ name: String, _ unknown: RegisterOperation.Call,
        _ body: (EtcdStore) async throws(StoreError) -> RegisterOperation.Call
    ) async {
        let start = recorder.time
        do throws(StoreError) {
            let call = try await body(store)
            let end = recorder.time
            recorder.count("success")
            recorder.change {
                $0.registers[name, default: []].append(
                    RegisterOperation(client: id, call: call, start: start, end: end))
            }
        } catch {
            recorder.count(error.code.description)
            // Otherwise nothing was written.
            guard error.code == .outcomeUnknown else { return }
            recorder.change {
                $0.registers[name, default: []].append(
                    RegisterOperation(client: id, call: unknown, start: start, end: nil))
            }
        }
    }

    // MARK: Lists

    private mutating func useLists() async {
        let plan = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            (key: Int.random(in: 0..<5, using: &random), value: Bool.random(using: &random) ? value() : nil)
        }
        let appends = plan.compactMap { step in
            step.value.map { ListTransaction.Step.append(key: step.key, value: $0) }
        }
        let start = recorder.time
        var (steps, outcome) = (appends, ListTransaction.Outcome.aborted)
        do throws(StoreError) {
            let result = try await transaction(on: store) { (transaction) throws(StoreError) in
                try await Self.perform(plan, transaction)
            }
            (steps, outcome) = (result.value, .committed)
            if !appends.isEmpty { acknowledge(result.sequence) }
            recorder.count("success")
        } catch {
            recorder.count(error.code.description)
            if error.code == .outcomeUnknown { outcome = .unknown }
        }
        let noted = ListTransaction(
            client: id, steps: steps, outcome: outcome, start: start, end: recorder.time)
        recorder.change { $0.lists.append(noted) }
    }

    private static func perform(
        _ plan: [(key: Int, value: Int?)], _ transaction: KeyValueTransaction
    ) async throws(StoreError) -> [ListTransaction.Step] {
        var steps: [ListTransaction.Step] = []
        for (number, value) in plan {
            let key = Array("list:\(number)".utf8)
            let values = numbers(of: try await transaction.fetchEntry(key)?.value ?? [])
            guard let value else {
                steps.append(.read(key: number, values: values))
                continue
            }
            transaction.put(key, (values + [value]).flatMap(bytes))
            steps.append(.append(key: number, value: value))
        }
        return steps
    }

    private func acknowledge(_ sequence: SequenceNumber) { recorder.change { $0.acknowledged.append(sequence) } }
}

/// A transaction that throws only `StoreError`.
private func transaction<R>(
    on store: EtcdStore, _ body: (KeyValueTransaction) async throws(StoreError) -> R
) async throws(StoreError) -> Committed<R> {
    do {
        return try await store.withTransaction(body)
    } catch {
        throw error as? StoreError ?? StoreError(.failed, "a transaction threw \(error)")
    }
}

extension KeyValueBatch.Operation {
    static func put(_ key: [UInt8], _ value: Int) -> Self { Self(key: key, value: bytes(value)) }
}

/// Eight bytes for a number.
func bytes(_ number: Int) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) } }

/// The number of eight bytes.
func number(of bytes: [UInt8]) -> Int? { numbers(of: bytes).first }

func numbers(of bytes: [UInt8]) -> [Int] {
    stride(from: 0, to: bytes.count - bytes.count % 8, by: 8).map { start in
        Int(bitPattern: bytes[start..<start + 8].reduce(UInt(0)) { $0 << 8 | UInt($1) })
    }
}

/// Random numbers that a seed determines (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
