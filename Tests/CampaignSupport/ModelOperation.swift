package import Heartwood

/// One step of a random run. Says what to do, independently of the state in which it is met.
package enum ModelOperation: Sendable {
    case write([Mutation], if: [ConditionChoice], Durability?)
    case transaction(TransactionPlan)
    case read(ReadForm, key: Int)
    case scan(ScanForm, RangeChoice, reversed: Bool, limit: Int)
    case takeSnapshot
    case dropSnapshot(Int)
    case readSnapshot(Int, key: Int)
    case scanSnapshot(Int, ScanForm, RangeChoice, reversed: Bool, limit: Int)
    case flush
    case statistics
    case compact
    case moveClock(by: UInt64)
    case setClockBack(by: UInt64)
    case misuse(Misuse)
    case reopen(closes: Bool, OpeningChoice)

    /// An operation on a key.
    package struct Mutation: Sendable, Hashable {
        package var key: Int
        /// nil: removes it.
        package var value: ValuePattern?
        package var expiry = ExpiryChoice.never
    }

    package enum ExpiryChoice: Sendable, Hashable {
        case never
        /// Milliseconds from now; also in the past.
        case at(Int)
        case after(Int)
    }

    package enum ConditionChoice: Sendable, Hashable {
        case absent(Int)
        /// The number that the key has.
        case matching(Int)
        /// A number that the key doesn't have.
        case stale(Int)
        /// Since a held snapshot.
        case unchanged(RangeChoice, snapshot: Int)
    }

    package enum ReadForm: Sendable, CaseIterable { case get, fetch, entry, contains, withValue }

    package enum ScanForm: Sendable, CaseIterable { case forEach, keys, asynchronous }

    package enum Misuse: Sendable, CaseIterable {
        case emptyKey, longKey, readOfEmptyKey, largeValue, emptyBatch, failingBatch, failingTransaction
    }

    package struct TransactionPlan: Sendable {
        package enum Step: Sendable {
            case get(Int)
            case contains(Int)
            case entries(RangeChoice, reversed: Bool)
            case write(Mutation)
        }

        package var steps: [Step]
        /// What somebody else writes while the transaction runs for the first time, and before which step.
        package var interleaved: (step: Int, Mutation)?
        package var durability: Durability?
    }

    /// How a store is opened.
    package struct OpeningChoice: Sendable {
        package var segmentBytes: Int
        package var commitBufferBytes: Int
        /// 0: off.
        package var compressionLevel: Int
        package var compressionThreshold: Int
        package var durability: Durability
        /// Bytes of log at which the store compacts itself; nil: it doesn't.
        package var compactedAt: UInt64?
        package var isAsynchronous: Bool
        package var isStrict: Bool
        /// Keeps a snapshot of the old opening, to see that it never gives wrong bytes.
        package var keepsSnapshot: Bool
    }
}
