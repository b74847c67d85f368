internal import HeartwoodRepository

/// What is shown of a record that can't be read, and what becomes of it.
extension JobRecord {
    enum Fault: UInt8, Codable, Sendable {
        /// It becomes a dead letter when it is due.
        case damaged
        /// A newer program has written it. It is left alone.
        case newer
    }

    /// Stands for a record that can't be read, with the values that its head lists in the indexes, and its bytes as the
    /// payload.
    ///
    /// - Parameters:
    ///   - record: Its bytes.
    ///   - id: Its encoded id.
    ///   - error: Why it can't be read.
    /// - Returns: Nil if its id or its head can't be read, or the head lists no place in the lines.
    init?(unreadable record: [UInt8], id: [UInt8], _ error: StoreError) {
        var decoder = TupleDecoder(id)
        guard let id = try? JobID(from: &decoder), let (head, start) = try? RecordEnvelope.decode(record),
            let line = head.groups.lazy.filter({ !$0.isUnique }).flatMap(\.values).compactMap(Line.init).first
        else { return nil }
        decoder = TupleDecoder(head.groups.first(where: \.isUnique)?.values.first ?? [])
        self.init(
            id: id, kind: "", payload: Array(record[start...]), enqueued: line.time, due: line.time,
            priority: line.priority, retry: .never, uniqueKey: try? String(from: &decoder))
        (state, failure) = (line.state, Self.shortened(error.message))
        fault = error.code == .unsupportedFormat || error.code == .newerModel ? .newer : .damaged
    }

    /// The values of an entry in the index of lines.
    private struct Line {
        let state: State
        let priority: JobPriority
        let time: Timestamp

        init?(_ values: [UInt8]) {
            var decoder = TupleDecoder(values)
            guard let state = try? State(from: &decoder), let rank = try? decoder.decode(UInt8.self),
                let moment = try? decoder.decodeUInt64(), decoder.isAtEnd
            else { return nil }
            (self.state, priority, time) = (state, JobPriority(rawValue: rank), Timestamp(milliseconds: moment))
        }
    }
}
