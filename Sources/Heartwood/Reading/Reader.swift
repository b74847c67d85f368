internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Which state a read sees.
enum ReadPoint: Sendable, Hashable {
    /// What is visible at the moment of the look-up.
    case latest
    /// What a held sequence number shows, judged at the time at which it was taken.
    case held(SequenceNumber, now: Timestamp)
}

/// The reads of a store, at a point. Synchronous; whoever must not block runs them on the blocking pool.
struct Reader: Sendable {
    let log: Log
    let point: ReadPoint

    private var records: RecordReader { RecordReader(log: log) }

    /// The version of a key that this point shows, unless it has expired. No I/O.
    func version(of key: UnsafeRawBufferPointer) throws(StoreError) -> Version? {
        try KeyLimits.check(key)
        if log.isEnded { throw .closed }
        let sequence: SequenceNumber? = if case .held(let sequence, _) = point { sequence } else { nil }
        guard let version = log.index.find(key, at: sequence), isAlive(version) else { return nil }
        return version
    }

    func withValue<R>(
        of key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> R
    ) throws(StoreError) -> R? {
        guard let version = try version(of: key) else { return nil }
        return try records.withValue(of: key, at: version.place, body)
    }

    func value(of key: some ByteSource) throws(StoreError) -> [UInt8]? {
        try key.withByteBuffer { (key) throws(StoreError) in try withValue(of: key) { [UInt8]($0) } }
    }

    func entry(of key: some ByteSource) throws(StoreError) -> Entry? {
        try key.withByteBuffer { (key) throws(StoreError) in
            guard let version = try version(of: key) else { return nil }
            return try entry([UInt8](key), version)
        }
    }

    func entry(_ key: [UInt8], _ version: Version) throws(StoreError) -> Entry {
        let value = try lend(key) { (key) throws(StoreError) in
            try records.withValue(of: key, at: version.place) { [UInt8]($0) }
        }
        return Entry(
            key: key, value: value, sequence: version.sequence,
            expires: version.expiry == 0 ? nil : Timestamp(milliseconds: version.expiry))
    }

    func isAlive(_ version: Version) -> Bool {
        guard version.expiry != 0 else { return true }
        if case .held(_, let now) = point { return now.milliseconds < version.expiry }
        return log.now.milliseconds < version.expiry
    }
}

/// What a key may be.
enum KeyLimits {
    static func check(_ key: UnsafeRawBufferPointer) throws(StoreError) {
        guard key.count - 1 < FormatConstants.maximumKeyBytes, !key.isEmpty else {
            throw StoreError(
                .invalidArgument,
                "a key has \(key.count) bytes: keys have 1 to \(FormatConstants.maximumKeyBytes); hash a longer one")
        }
    }
}
