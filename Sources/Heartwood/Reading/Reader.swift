internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Which state a read sees.
enum ReadState: Sendable, Hashable {
    /// Everything that is visible when the key is looked up.
    case latest
    /// What a pinned read point shows. Expiry is judged by `now`.
    case at(ReadPoint, now: Timestamp)
}

/// The reads of a store, at a read state. Synchronous: a caller that must not block uses the blocking pool.
struct Reader: Sendable {
    let image: StoreImage
    let point: ReadState

    var records: RecordReader { RecordReader(image: image) }

    /// The version of a key that this state shows, unless it has expired. No I/O. The caller has an epoch pin.
    @inline(__always)
    func version(of key: UnsafeRawBufferPointer) throws(StoreError) -> Version? {
        try KeyLimits.check(key)
        if image.isClosed { throw .closed }
        let address: UInt64? = if case .at(let point, _) = point { point.address } else { nil }
        guard let version = image.index.findPinned(key, at: address), isAlive(version) else { return nil }
        return version
    }

    /// Whether this state shows a value of a key. No I/O.
    func contains(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
        try image.index.pinningEpoch { () throws(StoreError) in try version(of: key) != nil }
    }

    /// The expiry of a key that this state shows. No I/O.
    func expiry(of key: UnsafeRawBufferPointer) throws(StoreError) -> Expiry? {
        try image.index.pinningEpoch { () throws(StoreError) in
            try version(of: key).map { Expiry(stored: $0.expiry) }
        }
    }

    /// - Parameter body: Runs with the epoch pinned, so it must be quick: not for code of the user.
    @inline(__always)
    func withValue<R>(
        of key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> R
    ) throws(StoreError) -> R? {
        // From the look-up until the bytes are read, so that the file isn't closed in between.
        let pin = image.index.pinEpoch()
        defer { image.index.unpinEpoch(pin) }
        guard let version = try version(of: key) else { return nil }
        return try records.withValue(of: key, version) { value, _ in body(value) }
    }

    /// Lends a value with its sequence number and expiry to code of the user. Doesn't call it if there is no value.
    @inline(__always)
    func lendEntry(
        of key: UnsafeRawBufferPointer, _ body: (RawSpan, SequenceNumber, Timestamp?) -> Void
    ) throws(StoreError) {
        var pin: EpochPin? = image.index.pinEpoch()
        defer { if let pin { image.index.unpinEpoch(pin) } }
        guard let version = try version(of: key) else { return }
        try records.lendValue(of: key, version, &pin) { value, sequence in
            body(value.bytes, sequence, version.expires)
        }
    }

    @inline(__always)
    func value(of key: some ByteSource) throws(StoreError) -> [UInt8]? {
        try key.withByteBuffer { (key) throws(StoreError) in try withValue(of: key) { [UInt8]($0) } }
    }

    func entry(of key: some ByteSource) throws(StoreError) -> Entry? {
        try key.withByteBuffer { (key) throws(StoreError) in
            let pin = image.index.pinEpoch()
            defer { image.index.unpinEpoch(pin) }
            guard let version = try version(of: key) else { return nil }
            return try entry(key, version)
        }
    }

    /// The value of a key as it is stored, and its entry without the value. Only at a pinned read point.
    func storedValue(of key: [UInt8]) throws(StoreError) -> (entry: Entry, value: StoredValue)? {
        guard let version = try find(key, 0)?.version else { return nil }
        return try lend(key) { (key) throws(StoreError) in
            try records.withBytes(of: version.location) { (bytes, segment) throws(StoreError) in
                let record = try records.record(of: key, in: bytes, version, segment)
                do throws(FormatError) {
                    let value = try StoredValue([UInt8](record.stored), isCompressed: record.isCompressed)
                    return (Entry(key, version, UnsafeRawBufferPointer(start: nil, count: 0), record.sequence), value)
                } catch {
                    throw records.damage(error, version.location)
                }
            }
        }
    }

    /// The entry of a version. The caller has an epoch pin, or a read pin of a state that contains the version.
    func entry(_ key: UnsafeRawBufferPointer, _ version: Version) throws(StoreError) -> Entry {
        try records.withValue(of: key, version) { value, sequence in Entry(key, version, value, sequence) }
    }

    /// The values of many keys, read in the order in which their records are in the files. Only at a pinned read point.
    func values(of keys: [some ByteSource]) throws(StoreError) -> [[UInt8]?] {
        var found: [FoundKey] = []
        for index in keys.indices {
            if let key = try find(keys[index], index) { found.append(key) }
        }
        var values = [[UInt8]?](repeating: nil, count: keys.count)
        for key in found.sorted() { values[key.index] = try value(of: key) }
        return values
    }

    /// A key of many, and the version to read; nil if the key is absent.
    @inline(__always)
    func find(_ key: some ByteSource, _ index: Int) throws(StoreError) -> FoundKey? {
        let version = try key.withByteBuffer { (key) throws(StoreError) -> Version? in
            try image.index.pinningEpoch { () throws(StoreError) in try self.version(of: key) }
        }
        return version.map { FoundKey(key: key.byteArray, index: index, version: $0) }
    }

    /// Only at a pinned read point.
    func value(of found: FoundKey) throws(StoreError) -> [UInt8] {
        try lend(found.key) { (key) throws(StoreError) in
            try records.withValue(of: key, found.version) { value, _ in [UInt8](value) }
        }
    }

    @inline(__always)
    func isAlive(_ version: Version) -> Bool { version.expiry == 0 || isAlive(until: version.expiry) }

    private func isAlive(until expiry: UInt64) -> Bool {
        if case .at(_, let now) = point { return now.milliseconds < expiry }
        return image.now.milliseconds < expiry
    }
}

/// One of many keys whose records are read in the order in which they are in the files.
struct FoundKey: Sendable, Comparable {
    let key: [UInt8]
    /// Its position among the keys that were asked for.
    let index: Int
    let version: Version

    static func < (left: FoundKey, right: FoundKey) -> Bool {
        left.version.location.word < right.version.location.word
    }
}

/// The limits of keys.
enum KeyLimits {
    @inline(__always)
    static func check(_ key: UnsafeRawBufferPointer) throws(StoreError) {
        guard allow(key) else { throw refusal(key.count) }
    }

    @inline(__always)
    static func allow(_ key: UnsafeRawBufferPointer) -> Bool {
        key.count &- 1 < FormatConstants.maximumKeyBytes && !key.isEmpty
    }

    private static func refusal(_ count: Int) -> StoreError {
        StoreError(
            .invalidArgument,
            "a key has \(count) bytes: keys have 1 to \(FormatConstants.maximumKeyBytes); hash a longer one")
    }
}

extension ReadPin {
    /// Reads the pinned state.
    var reader: Reader { Reader(image: image, point: .at(point, now: now)) }

    /// Whether a key exists. No I/O.
    func shows(_ key: [UInt8]) -> Bool {
        lend(key) { key in
            guard KeyLimits.allow(key), let version = image.index.find(key, at: point.address) else { return false }
            return version.isAlive(at: now.milliseconds)
        }
    }
}
