package import Heartwood

/// One step of a random run, independent of the state of the store.
package enum ModelOperation: Sendable {
    case write([Mutation], if: [ConditionChoice], Durability?)
    case transaction(TransactionPlan)
    case removeRange(RangeChoice, limit: Int?, Durability?)
    case read(ReadForm, key: Int)
    case scan(ScanForm, RangeChoice, reversed: Bool, limit: Int)
    case takeReadView
    case dropReadView(Int)
    case readInView(Int, key: Int)
    case scanView(Int, ScanForm, RangeChoice, reversed: Bool, limit: Int)
    case flush
    case statistics
    case compact
    case moveClock(by: UInt64)
    case jumpClock(by: Int64)
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
        /// Milliseconds from now; may be in the past.
        case at(Int)
        case after(Int)
    }

    package enum ConditionChoice: Sendable, Hashable {
        case absent(Int)
        /// The sequence number of the key.
        case matching(Int)
        /// Another sequence number than that of the key.
        case stale(Int)
        /// Since a read view.
        case unchanged(RangeChoice, view: Int)
        /// Since a read view.
        case unchangedKey(Int, view: Int)
    }

    package enum ReadForm: Sendable, CaseIterable { case get, fetch, entry, fetchEntry, contains, withEntry }

    package enum ScanForm: Sendable, CaseIterable { case forEach, keys, asynchronous, pages, fetchedPages, count }

    package enum Misuse: Sendable, CaseIterable {
        case emptyKey, longKey, readOfEmptyKey, largeValue, emptyBatch, failingBatch, failingTransaction
    }

    package struct TransactionPlan: Sendable {
        package enum Step: Sendable {
            case get(Int)
            case contains(Int)
            case entries(RangeChoice, reversed: Bool)
            case page(RangeChoice, reversed: Bool, limit: Int, isAsynchronous: Bool)
            case count(RangeChoice)
            case removeRange(RangeChoice, limit: Int?)
            case write(Mutation)
        }

        package var steps: [Step]
        /// What another task writes during the first run of the transaction, and before which step.
        package var interleaved: (step: Int, Mutation)?
        package var durability: Durability?
    }

    package struct OpeningChoice: Sendable {
        package var configuration: Store.Configuration
        package var isAsynchronous: Bool
        package var isStrict: Bool
        /// Keeps a read view of the old opening, to check that it never returns wrong bytes.
        package var keepsReadView: Bool
    }
}
