/// The names of a store's files.
package enum StoreFileName: Sendable, Hashable {
    /// A log segment, named by its first sequence number.
    case log(firstSequence: UInt64)
    /// A snapshot, named by the last sequence number that it includes.
    case snapshot(sequence: UInt64)
    /// A file in preparation. It has no meaning until it is renamed.
    case temporary
    /// The lock file.
    case lock
    /// The file with which a store records that its log is kept after compactions.
    case keepLog
    /// Any other name.
    case other

    /// Parses a name: sixteen lower-case hexadecimal digits, then `.log` or `.snapshot`, or one of the fixed names.
    package init(_ name: String) {
        // Compared by bytes. Strings compare by characters, and a combining mark can merge with the full stop of
        // ".tmp".
        let name = name.utf8
        if name.elementsEqual(Self.lockName.utf8) {
            self = .lock
        } else if name.elementsEqual(Self.keepLogName.utf8) {
            self = .keepLog
        } else if name.ends(with: ".tmp") {
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
    package static let lockName = "LOCK"
    /// The name of the file that records that the log is kept.
    package static let keepLogName = "KEEP-LOG"
    /// The name of the segment that is being prepared.
    package static let spareName = "spare.log.tmp"

    /// The name of a log segment.
    package static func log(_ firstSequence: UInt64) -> String { hexadecimal(firstSequence) + ".log" }

    /// The name of a snapshot that includes everything up to this number.
    package static func snapshot(_ sequence: UInt64) -> String { hexadecimal(sequence) + ".snapshot" }
    /// The name of the snapshot that is being written.
    package static let newSnapshotName = "new.snapshot.tmp"

    /// Whether it is a log segment or a snapshot.
    package var isData: Bool {
        switch self {
        case .log, .snapshot: true
        case .temporary, .lock, .keepLog, .other: false
        }
    }

    /// Whether a temporary file only reserves disk space. The engine has three such files.
    package static func isReserve(_ name: String) -> Bool {
        StoreFileName(name) == .temporary && name.utf8.starts(with: "reserve-".utf8)
    }

    private static func sequence(of name: String.UTF8View, suffix: String) -> UInt64? {
        let digits = name.prefix(16)
        guard name.count == 16 + suffix.utf8.count, name.ends(with: suffix), digits.allSatisfy(isLowerCaseDigit)
        else { return nil }
        return UInt64(Substring(digits), radix: 16)
    }

    private static func isLowerCaseDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}

extension String.UTF8View {
    fileprivate func ends(with suffix: String) -> Bool {
        self.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}
