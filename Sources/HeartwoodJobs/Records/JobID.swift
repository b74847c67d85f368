public import Foundation
public import HeartwoodRepository
internal import HeartwoodConcurrency

/// Identifies a job: a UUID of version 7, so that jobs of one program are in the order in which they were enqueued.
public struct JobID: RawRepresentable, Sendable, Hashable, Codable, TupleElement, CustomStringConvertible {
    /// The UUID.
    public var rawValue: UUID

    /// An id from a UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }

    /// An id from the text of a UUID; nil if it is none.
    public init?(_ text: String) {
        guard let uuid = UUID(uuidString: text) else { return nil }
        rawValue = uuid
    }

    /// The text of the UUID.
    public var description: String { rawValue.uuidString.lowercased() }
}

/// Makes ids that rise, also within a millisecond and when the clock goes back (RFC 9562, 6.2, method 1).
final class JobIDs: Sendable {
    private struct State {
        var milliseconds: UInt64 = 0
        var counter: UInt64 = 0
        var random = SystemRandomNumberGenerator()
    }

    private let state = Locked(State())

    /// As many new ids, in order. O(count).
    func make(_ count: Int, now: Timestamp) -> [JobID] {
        state.withLock { state in
            (0..<count).map { _ in
                if now.milliseconds > state.milliseconds {
                    (state.milliseconds, state.counter) = (now.milliseconds, 0)
                } else {
                    state.counter += 1
                    // Twelve bits are left for it.
                    if state.counter == 1 << 12 { (state.milliseconds, state.counter) = (state.milliseconds &+ 1, 0) }
                }
                let high = state.milliseconds << 16 | 0x7000 | state.counter
                let low = state.random.next() >> 2 | 1 << 63
                return JobID(
                    rawValue: withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
                        UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
                    })
            }
        }
    }
}

extension JobID {
    /// - Parameter bytes: 16.
    init(bytes: UnsafeRawBufferPointer) { rawValue = UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) }

    func append(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: rawValue.uuid) { bytes.append(contentsOf: $0) }
    }
}
