internal import Foundation

/// A result with its encoded id. Its place in the order of a query is ``Query/sortParts(of:)``, which few queries need.
struct QueryResult<Model: Sendable>: Sendable {
    let model: Model
    let id: [UInt8]
    let sequence: SequenceNumber
    let expires: Timestamp?
}

/// One run of a query: `next()` reads as much as it needs for some results.
///
/// It reads pages of keys, then the records of a page together: two round trips for a page on a remote engine.
struct QueryRun<Model: Sendable> {
    private let query: Query<Model>
    /// The filter, for explanations, and as it is evaluated.
    private let filter: FilterNode
    private let program: FilterProgram<Model>
    private let access: AccessPlan
    /// Results up to this one are left out.
    private let after: SortKey?
    private let afterID: [UInt8]?
    private let decode: (Entry) throws(StoreError) -> Model
    /// Called for a record that doesn't decode, or that is missing although an index names it, and is left out; nil if
    /// it ends the query.
    private let onUndecodable: ((StoreError) -> Void)?
    private var reader: SourceReader
    private var candidates: CandidateReader
    /// What the index has named up to now, to be sorted by id.
    private var collected: [Candidate] = []
    private var seen: Set<[UInt8]> = []
    /// What was collected, sorted.
    private var sorted: ArraySlice<Candidate>?
    /// Reads all records in the order of their ids while ids are collected: it may find enough results sooner.
    private var walk: CandidateReader?
    /// The id of the last record that it has read.
    private var walkedThrough: [UInt8]?
    private var isFinished = false
    /// How many results are still to be left out, and to be returned.
    private var offset: Int
    private var limit: Int
    private var pageSize: Int
    private var busy = BusyTime()
    private var encoder = TupleEncoder()

    static var smallestPage: Int { 16 }
    static var largestPage: Int { 1024 }
    /// While ids are collected, records are read in pages of this size: a record costs about as much as eight entries.
    static var walkedPage: Int { 128 }

    /// - Parameters:
    ///   - after: Results continue after it, and the query's offset doesn't count.
    ///   - isStream: Whether the caller may stop early. Pages are small at first then.
    ///   - isOrdered: If not, results come as they are read, perhaps more than once, and a limit doesn't count.
    /// - Throws: `.invalidArgument` if the cursor is one of another query, or the filter is too deep.
    init(
        _ query: Query<Model>, _ source: QuerySource<Model>, after cursor: QueryCursor? = nil, isStream: Bool = false,
        isOrdered: Bool = true, onUndecodable: ((StoreError) -> Void)? = nil
    ) throws(StoreError) {
        self.query = query
        self.onUndecodable = onUndecodable
        filter = try query.filter.tree.node()
        program = query.filter.tree.program
        var access = source.layout.planner.plan(filter, query.sortProperties)
        if !isOrdered { access.ordering = .asRead(isReversed: false) }
        var all = AccessPlan.allRecords(isReversed: access.isReversed)
        if let cursor {
            let parts = try cursor.parts(for: query)
            after = query.sortKey(of: parts)
            afterID = parts.last
            access.skip(to: parts)
            all.skip(to: parts)
        } else {
            (after, afterID) = (nil, nil)
        }
        self.access = access
        if case .byIdentifier = access.ordering, query.limit != nil || isStream, source.mayWalk {
            walk = CandidateReader(all)
        }
        reader = source.reader
        decode = source.decode
        candidates = CandidateReader(access)
        offset = cursor == nil ? max(query.offset, 0) : 0
        limit = max(query.limit ?? .max, 0)
        let (needed, overflow) = offset.addingReportingOverflow(limit)
        if limit < .max {
            pageSize = overflow ? Self.largestPage : min(max(needed, Self.smallestPage), Self.largestPage)
        } else {
            pageSize = isStream ? Self.smallestPage : Self.largestPage
        }
    }

    /// The plan, with what has been looked at up to now.
    var explanation: QueryPlan {
        var plan = QueryPlan(access, filter, reader.layout.indexes)
        plan.statistics = reader.statistics
        return plan
    }

    /// Where a change could make a difference to the results.
    var steps: [AccessPlan.Step] { access.steps }

    /// Some results, in order; nil at the end.
    ///
    /// - Throws: `.cancelled`, `.corruption` if an index names a record that is missing, what the engine and the guard
    ///   throw, and what `onUndecodable` throws.
    nonisolated(nonsending) mutating func next() async throws(StoreError) -> [QueryResult<Model>]? {
        while !isFinished, limit > 0 {
            if Task.isCancelled { throw .queryCancelled }
            let results: [QueryResult<Model>]
            if case .inMemory = access.ordering {
                results = try await sortedInMemory()
                isFinished = true
            } else if let page = try await nextCandidates() {
                results = try await self.results(of: page)
            } else {
                isFinished = true
                break
            }
            if let wanted = wanted(results) { return wanted }
        }
        try await reader.checkGuard()
        return nil
    }

    /// The part of a page that isn't left out because of offset and limit; nil if it is empty.
    private mutating func wanted(_ results: [QueryResult<Model>]) -> [QueryResult<Model>]? {
        let skipped = min(offset, results.count)
        offset -= skipped
        let wanted = results.dropFirst(skipped).prefix(limit)
        if limit < .max { limit -= wanted.count }
        reader.count(results: wanted.count)
        return wanted.isEmpty ? nil : Array(wanted)
    }

    /// The next page in the order of results, without those that offset leaves out and that need not be read for that.
    private nonisolated(nonsending) mutating func nextCandidates() async throws(StoreError) -> [Candidate]? {
        while let page = try await nextPage() {
            guard !access.isFiltering, offset > 0, page.allSatisfy({ $0.index != nil }) else { return page }
            let skipped = min(offset, page.count)
            offset -= skipped
            if skipped < page.count { return Array(page.dropFirst(skipped)) }
        }
        return nil
    }

    private nonisolated(nonsending) mutating func nextPage() async throws(StoreError) -> [Candidate]? {
        guard case .byIdentifier = access.ordering else { return try await candidates.next(nextSize(), &reader) }
        while sorted == nil {
            guard let page = try await candidates.next(Self.largestPage, &reader) else {
                sorted = await sortedByIdentifier()[...]
                break
            }
            await collect(page)
            if page.count == Self.largestPage, let walked = try await nextWalked() { return walked }
        }
        guard let page = sorted?.prefix(nextSize()), !page.isEmpty else { return nil }
        sorted?.removeFirst(page.count)
        return Array(page)
    }

    /// The next records in the order of ids that the plan names, by the keys that each record lists. If there are no
    /// more records, nothing else is to be sorted.
    private nonisolated(nonsending) mutating func nextWalked() async throws(StoreError) -> [Candidate]? {
        guard walk != nil else { return nil }
        guard let page = try await walk?.next(Self.walkedPage, &reader) else {
            sorted = []
            return nil
        }
        var named: [Candidate] = []
        for candidate in page {
            await busy.step()
            guard let record = candidate.record, let keys = try? reader.layout.entryKeys?(record) else {
                // What is wrong with it concerns only the queries whose indexes name it.
                walk = nil
                break
            }
            walkedThrough = candidate.id
            if access.steps.contains(where: { reader.names($0, candidate.id, keys) }) { named.append(candidate) }
        }
        return named
    }

    /// What a limit still needs, if every candidate is a result; otherwise the double of the last page.
    private mutating func nextSize() -> Int {
        if !access.isFiltering, limit < .max {
            let (needed, overflow) = offset.addingReportingOverflow(limit)
            return overflow ? Self.largestPage : min(needed, Self.largestPage)
        }
        defer { pageSize = min(2 * pageSize, Self.largestPage) }
        return pageSize
    }

    private nonisolated(nonsending) mutating func collect(_ page: [Candidate]) async {
        for candidate in page {
            await busy.step()
            if access.steps.count == 1 || seen.insert(candidate.id).inserted { collected.append(candidate) }
        }
    }

    /// What was collected and comes after the cursor and after what was walked over.
    private nonisolated(nonsending) mutating func sortedByIdentifier() async -> [Candidate] {
        let isReversed = access.isReversed
        if let start = walkedThrough ?? afterID {
            collected.removeAll {
                let order = KeyOrder.compare($0.id, start)
                return isReversed ? order >= 0 : order <= 0
            }
        }
        defer { (collected, seen) = ([], []) }
        return await busy.sorted(collected) { left, right in
            let order = KeyOrder.compare(left.id, right.id)
            return isReversed ? order > 0 : order < 0
        }
    }

    private nonisolated(nonsending) mutating func sortedInMemory() async throws(StoreError) -> [QueryResult<Model>] {
        let (needed, overflow) = offset.addingReportingOverflow(limit)
        var best = BestResults(limit: overflow || needed == .max ? nil : needed)
        var kept: [QueryResult<Model>] = []
        while let page = try await candidates.next(Self.largestPage, &reader) {
            let fresh = access.steps.count == 1 ? page : page.filter { seen.insert($0.id).inserted }
            for result in try await results(of: fresh) {
                guard let slot = best.insert(query.sortKey(of: query.sortParts(of: result))) else { continue }
                if slot < kept.count { kept[slot] = result } else { kept.append(result) }
            }
        }
        return await busy.sorted(best.elements) { $0.key < $1.key }.map { kept[$0.slot] }
    }

    /// The results among candidates, in their order.
    private nonisolated(nonsending) mutating func results(
        of page: [Candidate]
    ) async throws(StoreError) -> [QueryResult<Model>] {
        var results: [QueryResult<Model>] = []
        results.reserveCapacity(page.count)
        for (candidate, entry) in zip(page, try await records(of: page)) {
            if busy.isDue() { await busy.rest() }
            guard let entry else { continue }
            let model: Model
            do throws(StoreError) {
                model = try decode(entry)
            } catch {
                try leaveOut(error)
                continue
            }
            guard try passes(model) else { continue }
            let result = QueryResult(
                model: model, id: candidate.id, sequence: entry.sequence, expires: entry.expires)
            if let after, query.sortKey(of: query.sortParts(of: result)) <= after { continue }
            results.append(result)
        }
        return results
    }

    private func leaveOut(_ error: StoreError) throws(StoreError) {
        guard let onUndecodable else { throw error }
        onUndecodable(error)
    }

    private mutating func passes(_ model: Model) throws(StoreError) -> Bool {
        guard access.isFiltering else { return true }
        do {
            return try program.passes(model, &encoder)
        } catch {
            throw StoreError(
                .invalidArgument, "the predicate of a query failed on a record: correct the predicate", cause: error)
        }
    }

    /// The records of candidates; nil for those that are absent and may be, or are left out.
    private nonisolated(nonsending) mutating func records(
        of page: [Candidate]
    ) async throws(StoreError) -> [Entry?] {
        var records = page.map(\.record)
        let missing = page.indices.filter { records[$0] == nil }
        let prefix = reader.layout.recordPrefix
        let read = try await reader.entries(of: missing.map { prefix + page[$0].id }, at: .records)
        for (position, entry) in zip(missing, read) {
            // One that expires may have expired between the two reads, where the reader isn't a view.
            if entry == nil, let index = page[position].index, page[position].expires == nil {
                let error = await reader.damage(
                    of: index,
                    "names a record that is missing, with the encoded id 0x"
                        + EncodedElement.hexadecimal(page[position].id))
                guard error.code == .corruption else { throw error }
                try leaveOut(error)
            }
            records[position] = entry
        }
        return records
    }
}

extension StoreError {
    static let queryCancelled = StoreError(
        .cancelled, "the task was cancelled: the query has no complete result, run it again")
}
