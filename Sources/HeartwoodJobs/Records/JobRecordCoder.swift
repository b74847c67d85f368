internal import HeartwoodRepository

/// The stored form of a job: numbers as ``Varint``, texts and bytes after their length. Faster than JSON, because a job
/// is written three times and read twice.
///
///     1, 16 bytes of the id, state, priority, time, enqueued, attempt, failures, limit, first pause, longest pause,
///     token, kind, failure, unique key, payload
///
/// Times are in milliseconds. The length of an optional text is one more; 0 is nil.
struct JobRecordCoder: ModelCoder {
    let name = "heartwood-job"
    static let format: UInt8 = 1

    func encode(_ value: some Encodable) throws -> [UInt8] {
        guard let job = value as? JobRecord else { throw Self.damage("it is of another type") }
        return Self.encode(job)
    }

    func decode<T: Decodable>(_ type: T.Type, from bytes: RawSpan) throws -> T {
        guard let job = try Self.decode(bytes) as? T else { throw Self.damage("it is of another type") }
        return job
    }

    static func encode(_ job: JobRecord) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(job.payload.count + job.kind.utf8.count + (job.failure?.utf8.count ?? 0) + 80)
        bytes.append(format)
        job.id.append(to: &bytes)
        bytes.append(job.state.rawValue)
        bytes.append(job.priority.rawValue)
        for number in [job.moment, job.enqueuedMoment] { Varint.append(number, to: &bytes) }
        for number in [job.attempt, job.failures, job.limit] { Varint.append(UInt64(number), to: &bytes) }
        for pause in [job.retry.first, job.retry.longest] {
            Varint.append((Timestamp(milliseconds: 0) + pause).milliseconds, to: &bytes)
        }
        Varint.append(job.token, to: &bytes)
        append(job.kind, to: &bytes)
        append(optional: job.failure, to: &bytes)
        append(optional: job.uniqueKey, to: &bytes)
        bytes.append(contentsOf: job.payload)
        return bytes
    }

    static func decode(_ bytes: RawSpan) throws(StoreError) -> JobRecord {
        guard bytes.byteCount >= 19 else { throw damage("it ends early") }
        let format = bytes.unsafeLoad(as: UInt8.self)
        guard format == Self.format else {
            guard RecordEnvelope.isNewer(format) else { throw damage("it has no layout") }
            throw StoreError(
                .unsupportedFormat, "a job has layout \(format), and this program reads \(Self.format): use a newer one"
            )
        }
        let id = bytes.extracting(1..<17).withUnsafeBytes { JobID(bytes: $0) }
        guard let state = JobRecord.State(rawValue: bytes.unsafeLoad(fromByteOffset: 17, as: UInt8.self)) else {
            throw damage("its state is unknown")
        }
        let priority = JobPriority(rawValue: bytes.unsafeLoad(fromByteOffset: 18, as: UInt8.self))
        var offset = 19
        let (moment, enqueued) = (try Varint.read(bytes, &offset), try Varint.read(bytes, &offset))
        let (attempt, failures) = (try count(bytes, &offset), try count(bytes, &offset))
        // A higher one counts as the highest.
        let limit = Int(clamping: try Varint.read(bytes, &offset))
        let (first, longest) = (try Varint.read(bytes, &offset), try Varint.read(bytes, &offset))
        let token = try Varint.read(bytes, &offset)
        let kind = try text(bytes, &offset)
        let (failure, uniqueKey) = (try optionalText(bytes, &offset), try optionalText(bytes, &offset))
        var job = JobRecord(
            id: id, kind: kind, payload: bytes.extracting(offset...).withUnsafeBytes { [UInt8]($0) },
            enqueued: Timestamp(milliseconds: enqueued), due: Timestamp(milliseconds: moment), priority: priority,
            retry: JobRetry(limit: limit, first: .milliseconds(first), longest: .milliseconds(longest)),
            uniqueKey: uniqueKey)
        (job.state, job.attempt, job.failures, job.token, job.failure) = (state, attempt, failures, token, failure)
        return job
    }

    static func damage(_ what: String) -> StoreError {
        StoreError(
            .corruption, "a job can't be read, \(what): another program has written to its key; restore or delete it")
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        Varint.append(UInt64(text.utf8.count), to: &bytes)
        bytes.append(contentsOf: text.utf8)
    }

    private static func append(optional text: String?, to bytes: inout [UInt8]) {
        Varint.append(text.map { UInt64($0.utf8.count) + 1 } ?? 0, to: &bytes)
        if let text { bytes.append(contentsOf: text.utf8) }
    }

    private static func count(_ bytes: RawSpan, _ offset: inout Int) throws(StoreError) -> Int {
        let number = try Varint.read(bytes, &offset)
        guard number <= JobRetry.highestLimit else { throw damage("a number is too large") }
        return Int(number)
    }

    private static func text(_ bytes: RawSpan, _ offset: inout Int) throws(StoreError) -> String {
        try text(bytes, &offset, length: try Varint.read(bytes, &offset))
    }

    private static func optionalText(_ bytes: RawSpan, _ offset: inout Int) throws(StoreError) -> String? {
        let length = try Varint.read(bytes, &offset)
        return length == 0 ? nil : try text(bytes, &offset, length: length - 1)
    }

    /// A length is compared with what follows before anything is allocated.
    private static func text(
        _ bytes: RawSpan, _ offset: inout Int, length: UInt64
    ) throws(StoreError) -> String {
        guard length <= UInt64(bytes.byteCount - offset) else { throw damage("it ends early") }
        let part = bytes.extracting(offset..<offset + Int(length))
        offset += Int(length)
        return part.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
