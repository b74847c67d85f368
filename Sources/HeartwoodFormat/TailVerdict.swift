/// Decides what the end of a log segment means: torn tail or corruption. Pure, so that every case can be tested.
///
/// The reader stopped at `stop.offset`. The question is what proves that bytes from there on were durable.
///
/// | where the reading stopped | a later file records an end | a later commit's sync mark | closing mark before |
/// verdict |
/// | --- | --- | --- | --- | --- |
/// | at the recorded end | yes, equal | (not searched) | any | intact: bytes after it are not used |
/// | before the recorded end | yes, beyond | (not searched) | any | corrupt: the later file proves it |
/// | only zeros, or the file's end | no | no | yes | clean: closed in order |
/// | only zeros, or the file's end | no | no | no | unclosed: nothing to skip, but a crash |
/// | only zeros, or the file's end | no | yes | any | impossible: zeros contain no later commit |
/// | bytes that are no commit | no | beyond the stop | any | corrupt: the sync mark proves it |
/// | bytes that are no commit | no | none beyond the stop | any | torn: nothing known as durable is missing |
///
/// A commit of a newer format is none of these: it is intact, and is refused before this decision.
package enum TailVerdict: Sendable, Hashable {
    /// A segment with a successor, whole up to the end that the successor records.
    case intact
    /// The newest segment, ended by a closing mark.
    case clean
    /// The newest segment, complete as far as it goes, but not closed.
    case unclosed
    /// The newest segment has a tail that nothing proves durable. The tail is skipped.
    case torn
    /// Bytes that were durable are damaged.
    case corrupt(Proof)

    /// Why it is certain that damaged bytes were once durable.
    package enum Proof: Sendable, Hashable {
        /// The next file's header records that this one was durable up to `end`, with numbers up to `lastSequence`.
        case successor(end: UInt64, lastSequence: UInt64)
        /// The commit at `offset` says that all bytes before `mark` were durable. Its first number is `sequence`.
        case laterMark(offset: UInt64, mark: UInt64, sequence: UInt64)
    }

    /// Where and why the reader stopped.
    package struct Stop: Sendable, Hashable {
        /// What the reader found at the offset.
        package enum Reason: Sendable, Hashable {
            /// The file, or the part of it that counts, ends here.
            case end
            /// Only zeros up to the end of the file.
            case zeros
            /// Bytes that are no commit.
            case damage(FormatError)
        }
        /// The end of the last whole commit.
        package var offset: UInt64
        /// What is there.
        package var reason: Reason
        /// The offset of the item whose check failed, as far as it is known.
        package var damageOffset: UInt64

        /// Creates a stop.
        package init(offset: UInt64, reason: Reason, damageOffset: UInt64) {
            self.offset = offset
            self.reason = reason
            self.damageOffset = damageOffset
        }
    }

    /// Applies the table.
    ///
    /// - Parameters:
    ///   - stop: Where the reader stopped.
    ///   - isClosed: Whether the last whole commit is a closing mark.
    ///   - proof: What proves durability beyond the stop; nil if nothing does.
    package static func decide(stop: Stop, isClosed: Bool, proof: Proof?) -> TailVerdict {
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
