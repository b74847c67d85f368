import ClusterSupport
import HeartwoodEtcd
import KeyValueStore

/// Keys that expire, each written once, and read by clients whose clocks differ.
extension Client {
    static let expiringPrefix = "expiring:"

    mutating func useExpiry() async {
        let known = recorder.expiringKeys
        if let (key, expires) = known.randomElement(using: &random), Bool.random(using: &random) {
            await note(key, expires) { (store) throws(StoreError) in
                .read(found: try await store.fetchEntry(Array(key.utf8)) != nil)
            }
            return
        }
        let key = "\(Self.expiringPrefix)\(value())"
        let second = (clock.now.milliseconds / 1_000 + .random(in: 1...8, using: &random)) * 1_000
        recorder.add(key, expires: second)
        await note(key, second) { (store) throws(StoreError) in
            let operation = WriteBatch.Operation(
                key: Array(key.utf8), value: [1], expires: .at(Timestamp(milliseconds: second)))
            // If it has expired meanwhile, it isn't put.
            acknowledge(try await store.write(.init(operations: [operation, touch]), durability: nil))
            return .write
        }
    }

    private func note(
        _ key: String, _ expires: UInt64, _ body: (EtcdStore) async throws(StoreError) -> ExpiringOperation.Call
    ) async {
        let (start, before) = (recorder.time, clock.reading)
        var call = ExpiringOperation.Call.unknownWrite
        do throws(StoreError) {
            call = try await body(store)
            recorder.count("success")
        } catch {
            recorder.count(error.code.description)
            if error.code != .outcomeUnknown { return }
        }
        let (end, after) = (recorder.time, clock.reading)
        if case .read = call, before.moves != after.moves { return }
        let (first, last) = (before.time.milliseconds, max(before.time, after.time).milliseconds)
        recorder.change { [call] in
            $0.expiring.append(
                ExpiringOperation(
                    key: key, expires: expires, call: call, start: start, end: end, clock: first...last))
        }
    }
}
