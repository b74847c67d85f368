/// The names of the files of a store.
public enum StoreFileName: Sendable, Hashable {
    /// A log segment, named by its first sequence number.
    case log(firstSequence: UInt64)
    /// A snapshot, named by the sequence number up to which it holds everything.
    case snapshot(sequence: UInt64)
    /// A file that was being prepared; without a meaning until it is renamed.
    case temporary
    /// The lock file.
    case lock
    /// Anything else; not ours.
    case other

    /// What a name means. Sixteen lower-case hexadecimal digits, then `.log` or `.snapshot`.
    public init(_ name: String) {
        if name == Self.lockName {
            self = .lock
        } else if name.hasSuffix(".tmp") {
            self = .temporary
        } else if let sequence = Self.sequence(of: name, suffix: ".log") {
            self = .log(firstSequence: sequence)
        } else if let sequence = Self.sequence(of: name, suffix: ".snapshot") {
            self = .snapshot(sequence: sequence)
        } else {
            self = .other
        }
    }

    /// The name of the lock file.
    public static let lockName = "LOCK"
    /// The name of the segment that is being prepared.
    public static let spareName = "spare.log.tmp"

    /// The name of a log segment.
    public static func log(_ firstSequence: UInt64) -> String { hexadecimal(firstSequence) + ".log" }

    private static func sequence(of name: String, suffix: String) -> UInt64? {
        guard name.hasSuffix(suffix) else { return nil }
        let digits = name.dropLast(suffix.count)
        guard digits.utf8.count == 16, digits.utf8.allSatisfy(isLowerCaseDigit) else { return nil }
        return UInt64(digits, radix: 16)
    }

    private static func isLowerCaseDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}
