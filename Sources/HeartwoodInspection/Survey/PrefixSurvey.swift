/// Which prefixes of keys a survey reports: the part of a key up to and including the first separator.
public struct PrefixSelection: Sendable, Hashable {
    /// The bytes that separate.
    public var separators: Set<UInt8>
    /// How many prefixes are followed; from 1 to 60,000. Those that occur first in the files are followed.
    public var most: Int

    /// Creates a selection.
    public init(separators: Set<UInt8>, most: Int = 1000) {
        precondition((1...60_000).contains(most))
        self.separators = separators
        self.most = most
    }

    /// The most bytes of a prefix. Separators after them aren't seen, so that the followed prefixes fit into memory.
    public static let longestPrefix = 256
}

/// The live keys of a store, by prefix. The figures are estimates if `SurveyTotals.isEstimated`.
public struct PrefixSurvey: Sendable {
    /// Which prefixes were asked for.
    public var selection: PrefixSelection
    /// The followed prefixes that have live keys, those with the most bytes first.
    public var groups: [PrefixGroup] = []
    /// The keys without a separator; nil if there are none.
    public var withoutSeparator: PrefixGroup?
    /// The keys with other prefixes, because there were too many prefixes to follow all; nil if there are none.
    public var others: PrefixGroup?
}

/// The live keys with the same prefix.
public struct PrefixGroup: Sendable {
    /// A large record.
    public struct Record: Sendable, Hashable {
        /// Its key.
        public var key: [UInt8]
        /// Bytes of the value as stored.
        public var valueBytes: UInt64
        /// The name of its file, without the directory.
        public var file: String
        /// The offset of the record in the file, in bytes.
        public var offset: UInt64
    }

    /// The prefix, with its separator; empty for keys that have none, and for other keys.
    public var prefix: [UInt8]
    /// How many keys have it.
    public var keys: UInt64
    /// Bytes of the keys.
    public var keyBytes: UInt64
    /// Bytes of the values as stored.
    public var valueBytes: UInt64
    /// The record with the largest value.
    public var largestValue: Record
    /// The record with the longest key.
    public var longestKey: Record

    /// Bytes of keys and values.
    public var bytes: UInt64 { keyBytes + valueBytes }
}
