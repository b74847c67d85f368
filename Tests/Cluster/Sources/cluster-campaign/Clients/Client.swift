import ClusterSupport
import HeartwoodEtcd
import HeartwoodRepository
import HeartwoodTesting
import KeyValueStore

/// A program that uses the store, and notes what it sees.
struct Client {
    /// How many clients write, too. After them comes one for each server that only reads.
    static let writers = 6
    /// How many seconds clocks may be wrong of clients that use keys with an expiry. Two of them differ by less than
    /// the smallest margin of a store.
    static let clockDifference = 4
    /// Whether a client uses keys with an expiry. The clocks of the others may be wrong by any time.
    static func usesExpiry(_ number: Int) -> Bool { number > 2 && !onlyReads(number) }
    /// Whether a client only reads, from one server, whatever becomes of it. What others see of a server that lags is
    /// little: their next write doesn't return.
    static func onlyReads(_ number: Int) -> Bool { number > writers }

    let id: Int
    let store: EtcdStore
    let members: Repository<Member>
    let clock: MovedClock
    let recorder: HistoryRecorder
    var random: SeededRandom
    /// Of values, so that none is written twice.
    private var written = 0

    init(
        _ number: Int, _ store: EtcdStore, _ members: Repository<Member>, _ clock: MovedClock,
        _ recorder: HistoryRecorder, seed: UInt64
    ) {
        (id, self.store, self.members) = (number, store, members)
        (self.clock, self.recorder) = (clock, recorder)
        random = SeededRandom(seed, UInt64(number))
    }

    mutating func value() -> Int {
        written += 1
        return id * 1_000_000 + written
    }

    /// Calls until the task is cancelled. All clients call in the same quarter of each second: that makes as many
    /// conflicts as calls without pauses, with a quarter of the work and of the history.
    mutating func run() async {
        while !Task.isCancelled {
            let microseconds = recorder.time % 1_000_000
            if microseconds >= 250_000 { try? await Task.sleep(for: .microseconds(1_000_000 - microseconds)) }
            if Self.onlyReads(id) {
                await readRegister()
                try? await Task.sleep(for: .milliseconds(50))
                continue
            }
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<3: await useRegister()
            case 3..<5: await useRange()
            case 5..<8: await useMembers()
            case 8 where Self.usesExpiry(id): await useExpiry()
            default: await useLists()
            }
        }
    }

    /// Notes a call on registers and its result.
    ///
    /// - Parameter unknown: What is noted if the outcome is unknown.
    func note(
        _ unknown: [(String, RegisterOperation.Call)],
        _ body: (EtcdStore) async throws(StoreError) -> [(String, RegisterOperation.Call)]
    ) async {
        let start = recorder.time
        do throws(StoreError) {
            let calls = try await body(store)
            let end = recorder.time
            recorder.count("success")
            add(calls, start, end)
        } catch {
            recorder.count(error.code.description)
            // Otherwise nothing was written.
            if error.code == .outcomeUnknown { add(unknown, start, nil) }
        }
    }

    private func add(_ calls: [(String, RegisterOperation.Call)], _ start: UInt64, _ end: UInt64?) {
        recorder.change {
            for (name, call) in calls {
                $0.registers[name, default: []].append(
                    RegisterOperation(client: id, call: call, start: start, end: end))
            }
        }
    }

    /// Makes a batch a change in feeds, whatever else is in it: the removal of an absent key is none.
    var touch: WriteBatch.Operation { .put(Array("touched:\(id)".utf8), 0) }

    func acknowledge(_ sequence: SequenceNumber) { recorder.change { $0.acknowledged.append(sequence) } }
}

/// A transaction that throws only `StoreError`.
func transaction<R>(
    on store: EtcdStore, _ body: (Transaction) async throws(StoreError) -> R
) async throws(StoreError) -> Committed<R> {
    do {
        return try await store.transaction(body)
    } catch {
        throw error as? StoreError ?? StoreError(.failed, "a transaction threw \(error)")
    }
}

extension WriteBatch.Operation {
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
