/// A record that may be a result.
struct Candidate: Sendable {
    /// Its id, encoded.
    var id: [UInt8]
    /// The record, if it has been read.
    var record: Entry?
    /// The index that names it; nil if it doesn't have to exist.
    var index: Int?
    /// When the index entry expires.
    var expires: Timestamp?
}

/// Reads candidates, step by step and range by range, in the order of keys.
struct CandidateReader {
    private let isReversed: Bool
    private var steps: ArraySlice<AccessPlan.Step>
    /// What is left of the first step.
    private var spans: ArraySlice<EncodedSet.Span> = []
    /// What is left of the range that is being read.
    private var rest: KeyRange?

    init(_ plan: AccessPlan) {
        isReversed = plan.isReversed
        steps = plan.steps[...]
        spans = steps.first?.keys.spans[...] ?? []
    }

    /// The next candidates, `count` if there are as many; nil at the end.
    nonisolated(nonsending) mutating func next(
        _ count: Int, _ reader: inout SourceReader
    ) async throws(StoreError) -> [Candidate]? {
        var candidates: [Candidate] = []
        while candidates.count < count, let step = steps.first {
            if step.isLookup {
                let points = take(count - candidates.count)
                if !points.isEmpty { candidates += try await lookUp(points, step.place, &reader) }
            } else if let range = rest ?? take(1).first?.keyRange(after: reader.prefix(of: step.place)) {
                let page = try await reader.entries(
                    in: range, of: step.place, isReversed: isReversed, limit: count - candidates.count)
                rest = page.next
                for entry in page.entries { candidates.append(try await candidate(entry, step.place, &reader)) }
            }
            if rest == nil, spans.isEmpty {
                steps.removeFirst()
                spans = steps.first?.keys.spans[...] ?? []
            }
        }
        return candidates.isEmpty ? nil : candidates
    }

    private mutating func take(_ count: Int) -> [EncodedSet.Span] {
        let taken = isReversed ? Array(spans.suffix(count).reversed()) : Array(spans.prefix(count))
        if isReversed { spans.removeLast(taken.count) } else { spans.removeFirst(taken.count) }
        return taken
    }

    private nonisolated(nonsending) func lookUp(
        _ points: [EncodedSet.Span], _ place: AccessPlan.Step.Place, _ reader: inout SourceReader
    ) async throws(StoreError) -> [Candidate] {
        if place == .records { return points.map { Candidate(id: $0.lower) } }
        let prefix = reader.prefix(of: place)
        var candidates: [Candidate] = []
        for case let entry? in try await reader.entries(of: points.map { prefix + $0.lower }, at: place) {
            candidates.append(try await candidate(entry, place, &reader))
        }
        return candidates
    }

    private nonisolated(nonsending) func candidate(
        _ entry: Entry, _ place: AccessPlan.Step.Place, _ reader: inout SourceReader
    ) async throws(StoreError) -> Candidate {
        let prefix = reader.prefix(of: place)
        guard case .index(let position) = place else {
            return Candidate(id: Array(entry.key.dropFirst(prefix.count)), record: entry)
        }
        do throws(StoreError) {
            // A unique index has the id in the value, unless one of its values is nil.
            if !entry.value.isEmpty {
                return Candidate(id: entry.value, index: position, expires: entry.expires)
            }
            var decoder = TupleDecoder(entry.key.dropFirst(prefix.count))
            for _ in reader.layout.indexes[position].components { _ = try decoder.skip() }
            let id = try Array(decoder.skip())
            try decoder.finish()
            return Candidate(id: id, index: position, expires: entry.expires)
        } catch {
            throw await reader.damage(of: position, "has an entry that can't be read", cause: error)
        }
    }
}
