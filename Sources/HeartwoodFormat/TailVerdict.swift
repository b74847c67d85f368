/// Torn or rotten: what the end of a log segment means. A pure decision, so that every case of it can be tested.
///
/// The reader has stopped at `stop.offset`. What proves that bytes from there on were once durable?
///
/// | where the reading stopped | a later file records an end | a later commit's mark | closing mark before | verdict |
/// | --- | --- | --- | --- | --- |
/// | at the recorded end | yes, equal | (not looked for) | any | intact: bytes after it are dead |
/// | before the recorded end | yes, beyond | (not looked for) | any | corrupt: the later file proves it |
/// | nothing but zeros, or the file's end | no | no | yes | clean: closed in order |
/// | nothing but zeros, or the file's end | no | no | no | unclosed: nothing to pass over, but a crash |
/// | nothing but zeros, or the file's end | no | yes | any | can't be: there is no later commit in zeros |
/// | bytes that are no commit | no | beyond the stop | any | corrupt: the mark proves it |
/// | bytes that are no commit | no | none beyond the stop | any | torn: nothing known as durable is missing |
///
/// A commit of a newer format is none of these: it is intact, and refuses before this decision.
public enum TailVerdict: Sendable, Hashable {
    /// A segment with a successor, whole up to the end that the successor records.
    case intact
    /// The newest segment, ended by a closing mark.
    case clean
    /// The newest segment, whole as far as it goes, but not closed.
    case unclosed
    /// The newest segment's tail was never durable as far as anything proves; it is passed over.
    case torn
    /// Bytes that were durable are damaged.
    case corrupt(Proof)

    /// Why it is certain that damaged bytes were once durable.
    public enum Proof: Sendable, Hashable {
        /// The next file's header says that this one was durable up to `end`, with numbers up to `lastSequence`.
        case successor(end: UInt64, lastSequence: UInt64)
        /// The commit at `offset` says that all bytes before `mark` were durable; its first number is `sequence`.
        case laterMark(offset: UInt64, mark: UInt64, sequence: UInt64)
    }

    /// Where and why the reader stopped.
    public struct Stop: Sendable, Hashable {
        /// What the reader found at the offset.
        public enum Reason: Sendable, Hashable {
            /// The file, or the part of it that counts, ends here.
            case end
            /// Nothing but zeros up to the end of the file.
            case zeros
            /// Bytes that are no commit.
            case damage(FormatError)
        }
        /// The end of the last whole commit.
        public var offset: UInt64
        /// What stands there.
        public var reason: Reason
        /// Where exactly the damage lies, as far as it can be told: the item whose check failed.
        public var damageOffset: UInt64

        /// Where and why the reader stopped.
        public init(offset: UInt64, reason: Reason, damageOffset: UInt64) {
            self.offset = offset
            self.reason = reason
            self.damageOffset = damageOffset
        }
    }

    /// The decision of the table.
    ///
    /// - Parameters:
    ///   - stop: Where the reader stopped.
    ///   - isClosed: Whether the last whole commit is a closing mark.
    ///   - proof: What proves durability beyond the stop; nil when nothing does.
    public static func decide(stop: Stop, isClosed: Bool, proof: Proof?) -> TailVerdict {
        switch (proof, stop.reason) {
        case (.successor(let end, _)?, _):
            return stop.offset == end ? .intact : .corrupt(proof!)
        case (.laterMark(_, let mark, _)?, _) where mark > stop.offset:
            return .corrupt(proof!)
        case (.laterMark?, .damage), (nil, .damage):
            return .torn
        case (.laterMark?, .end), (.laterMark?, .zeros), (nil, .end), (nil, .zeros):
            return isClosed ? .clean : .unclosed
        }
    }
}
