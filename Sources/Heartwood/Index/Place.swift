/// Where a record lies in the files.
struct Place: Sendable, Hashable {
    /// The number of the file.
    var segment: UInt32
    /// Bytes of the whole encoded record.
    var length: UInt32
    /// The first byte of the record in its file.
    var offset: UInt64
}
