internal import HeartwoodRepository

/// Where the entries of jobs are in the index of lines: by state, priority, time and id.
struct LineLayout: Sendable {
    private let prefix: [UInt8]

    init(_ prefix: [UInt8]) { self.prefix = prefix }

    /// An entry of a job.
    struct Spot {
        var rank: UInt8
        var moment: UInt64
        var encodedID: ArraySlice<UInt8>
    }

    /// All jobs.
    var all: KeyRange { .prefix(prefix) }

    /// Those of a state and a priority.
    func line(_ state: JobRecord.State, _ rank: UInt8) -> KeyRange { .prefix(start(state, rank)) }

    /// All jobs of a state.
    func line(_ state: JobRecord.State) -> KeyRange { .prefix(start(state)) }

    /// Those of the priorities after this one; nil if there are none.
    func line(_ state: JobRecord.State, after rank: UInt8) -> KeyRange? {
        guard rank < .max else { return nil }
        return KeyRange(lower: .included(start(state, rank + 1)), upper: line(state).upper)
    }

    /// Those of a state and a priority that are due, and those that aren't yet.
    func line(
        _ state: JobRecord.State, _ rank: UInt8, now: Timestamp
    ) -> (due: KeyRange, later: KeyRange) {
        var encoder = TupleEncoder(prefix: start(state, rank))
        encoder.append(now.milliseconds == .max ? .max : now.milliseconds + 1)
        let all = line(state, rank)
        return (
            KeyRange(lower: all.lower, upper: .excluded(encoder.bytes)),
            KeyRange(lower: .included(encoder.bytes), upper: all.upper)
        )
    }

    /// Nil if the entry can't be read.
    func spot(_ key: [UInt8]) -> Spot? {
        var decoder = TupleDecoder(key[min(prefix.count, key.count)...])
        guard (try? decoder.decode(UInt8.self)) != nil, let rank = try? decoder.decode(UInt8.self),
            let moment = try? decoder.decodeUInt64()
        else { return nil }
        let encodedID = decoder.rest
        guard (try? decoder.decode(JobID.self)) != nil, decoder.isAtEnd else { return nil }
        return Spot(rank: rank, moment: moment, encodedID: encodedID)
    }

    private func start(_ state: JobRecord.State, _ rank: UInt8? = nil) -> [UInt8] {
        var encoder = TupleEncoder(prefix: prefix)
        encoder.append(UInt64(state.rawValue))
        if let rank { encoder.append(UInt64(rank)) }
        return encoder.bytes
    }
}
