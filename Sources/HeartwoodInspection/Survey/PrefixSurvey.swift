/// Which prefixes of keys a survey reports: the part of a key up to and including the first separator.
package struct PrefixSelection: Sendable {
    /// The bytes that separate. Without any, only the keys that `sectionLength` knows are reported.
    package var separators: Set<UInt8>
    /// How many prefixes, and how many sections, are followed; from 1 to 30,000: those that occur first in the files.
    package var most: Int
    /// Of a key that belongs to a section, such as the records of a repository: how many bytes at its start name the
    /// section. Nil of other keys, which the separators divide.
    package var sectionLength: @Sendable (_ key: UnsafeRawBufferPointer) -> Int?

    package init(
        separators: Set<UInt8>, most: Int = 1000,
        sectionLength: @escaping @Sendable (_ key: UnsafeRawBufferPointer) -> Int? = { _ in nil }
    ) {
        precondition((1...30_000).contains(most))
        self.separators = separators
        self.most = most
        self.sectionLength = sectionLength
    }

    /// The most bytes of a prefix. Separators after them aren't seen, so that the followed prefixes fit into memory.
    package static let longestPrefix = 256
}

/// The live keys of a store, by prefix. The figures are estimates if `SurveyTotals.isEstimated`.
package struct PrefixSurvey: Sendable {
    package var selection: PrefixSelection
    /// The followed sections, in the order of their prefixes; also those of which only dead records are left.
    package var sections: [PrefixGroup] = []
    /// The followed prefixes that have live keys, those with the most bytes first.
    package var groups: [PrefixGroup] = []
    /// The keys without a separator; nil if there are none.
    package var withoutSeparator: PrefixGroup?
    /// The keys of other prefixes and sections, because there were too many to follow all; nil if there are none.
    package var others: PrefixGroup?
}

/// The keys with the same prefix.
package struct PrefixGroup: Sendable {
    /// The prefix, with its separator; empty for keys that have none, and for other keys.
    package var prefix: [UInt8]
    package var keys: UInt64 = 0
    package var keyBytes: UInt64 = 0
    /// Bytes of their values as stored.
    package var valueBytes: UInt64 = 0
    /// Bytes of their records in the files.
    package var liveBytes: UInt64 = 0
    /// All other records with the prefix: overwritten, deleted, expired, or in a file that does not count.
    package var deadRecords: UInt64 = 0
    /// Bytes of these records in the files.
    package var deadBytes: UInt64 = 0
    /// The live record with the largest value; nil if there are only dead ones.
    package var largestValue: LargeRecord?
    /// The live record with the longest key; nil if there are only dead ones.
    package var longestKey: LargeRecord?

    /// Bytes of keys and values.
    package var bytes: UInt64 { keyBytes + valueBytes }
}
