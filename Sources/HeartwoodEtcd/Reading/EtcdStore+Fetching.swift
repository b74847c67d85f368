#if Etcd
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import KeyValueStore
import Synchronization

/// Which state a read shows, and what has expired for it.
struct Moment: Sendable {
    /// The revision; nil for the newest state.
    var revision: Int64?
    var now: Timestamp
    var consistency: EtcdStore.Configuration.Consistency = .linearizable

    /// The same, at the revision that a first call had.
    func at(_ revision: Int64) -> Moment { Moment(revision: revision, now: now, consistency: consistency) }

    /// Whether a key with a lease exists. The lease's number is the second of the expiry.
    func shows(_ value: EtcdKeyValue) -> Bool { expiry(value).map { $0 > now } ?? true }

    func entry(_ value: EtcdKeyValue, _ layout: Layout) -> Entry? {
        guard shows(value) else { return nil }
        return Entry(
            key: layout.key(value.key), value: [UInt8](value.value), sequence: UInt64(value.modRevision),
            expires: expiry(value))
    }
}

/// When a key expires; nil if never.
func expiry(_ value: EtcdKeyValue) -> Timestamp? {
    value.lease == 0 ? nil : Timestamp(milliseconds: 0) + .seconds(value.lease)
}

/// What reads of the store and of its views have in common. All return the revision that they show.
extension EtcdStore {
    /// Sends a read of one moment.
    ///
    /// A revision never changes, so any server may answer that has it. Only if none has it yet, a leader is asked.
    private nonisolated(nonsending) func read<Request, Response>(
        _ method: Method<Request, Response>, at moment: Moment,
        _ request: (_ revision: Int64, _ isSerializable: Bool) -> Request
    ) async throws(StoreError) -> (response: Response, revision: Int64) {
        try checkOpen()
        let known = cluster.knownRevision
        do throws(CallFailure) {
            if let revision = moment.revision {
                do throws(CallFailure) {
                    return (try await cluster.call(method, request(revision, true), needsLeader: false), revision)
                } catch {
                    guard error.kind == .futureRevision else { throw error }
                    return (try await cluster.call(method, request(revision, false)), revision)
                }
            }
            if moment.consistency.isSerializable {
                let response = try await cluster.call(method, request(0, true), needsLeader: false)
                if response.header.revision >= known { return (response, response.header.revision) }
            }
            let response = try await cluster.call(method, request(0, false))
            return (response, response.header.revision)
        } catch {
            throw self.error(error)
        }
    }

    /// Keys of one moment. Many are one read-only transaction.
    nonisolated(nonsending) func values(
        of keys: [[UInt8]], at moment: Moment
    ) async throws(StoreError) -> (values: [EtcdKeyValue?], revision: Int64) {
        for key in keys { try limits.check(key) }
        if keys.isEmpty { return ([], try await newestRevision(moment)) }
        if keys.count == 1 {
            let (response, revision) = try await read(Calls.range, at: moment) { revision, isSerializable in
                range(layout.data(keys[0]), revision, isSerializable)
            }
            return ([response.kvs.first], revision)
        }
        var (values, moment) = ([EtcdKeyValue?](), moment)
        // Each transaction reads at the revision of the first one.
        for start in stride(from: 0, to: keys.count, by: configuration.serverOperations) {
            let part = keys[start..<min(keys.count, start + configuration.serverOperations)]
            let (response, revision) = try await read(Calls.transaction, at: moment) { revision, isSerializable in
                EtcdTxnRequest(part.map { .range(range(layout.data($0), revision, isSerializable)) })
            }
            guard response.responses.count == part.count else { throw CallFailure.incomplete.storeError }
            values += response.responses.map(\.responseRange.kvs.first)
            moment = moment.at(revision)
        }
        return (values, moment.revision ?? 0)
    }

    private func range(_ key: Data, _ revision: Int64, _ isSerializable: Bool) -> EtcdRangeRequest {
        var range = EtcdRangeRequest(key)
        (range.revision, range.serializable) = (revision, isSerializable)
        return range
    }

    /// Keys of a range of one moment, in order, that haven't expired: at most `limit`.
    ///
    /// It reads in parts: the first has at most 512 keys, the next ones what should fit into 4 MiB.
    nonisolated(nonsending) func values(
        in range: KeyRange, reversed: Bool = false, limit: Int, keysOnly: Bool = false, at moment: Moment
    ) async throws(StoreError) -> (values: [EtcdKeyValue], revision: Int64) {
        try EntryPage.check(limit: limit)
        var (values, moment, rest, part) = ([EtcdKeyValue](), moment, range, 512)
        while let bounds = layout.data(rest) {
            let count = min(part, limit - values.count)
            let (response, revision) = try await read(Calls.range, at: moment) { revision, isSerializable in
                var request = self.range(bounds.lower, revision, isSerializable)
                (request.rangeEnd, request.limit, request.keysOnly) = (bounds.upper, Int64(count), keysOnly)
                if reversed { (request.sortOrder, request.sortTarget) = (.descend, .key) }
                return request
            }
            moment = moment.at(revision)
            // Otherwise this might never end.
            let ends = [response.kvs.first, response.kvs.last].compactMap { $0?.key }
            guard response.kvs.count <= count, ends.allSatisfy({ Layout.contains(bounds, $0) })
            else { throw CallFailure.incomplete.storeError }
            values += response.kvs.filter(moment.shows)
            guard response.more, values.count < limit, let last = response.kvs.last else { break }
            rest = rest.remainder(after: layout.key(last.key), reversed: reversed)
            let bytes = response.kvs.reduce(0) { $0 + $1.key.count + $1.value.count + 64 }
            part = min(8_192, max(1, (4 << 20) / max(1, bytes / response.kvs.count)))
        }
        if moment.revision == nil { moment = moment.at(try await newestRevision(moment)) }
        return (values, moment.revision ?? 0)
    }

    nonisolated(nonsending) func page(
        of range: KeyRange, reversed: Bool, limit: Int, at moment: Moment
    ) async throws(StoreError) -> (page: EntryPage, revision: Int64) {
        let (values, revision) = try await values(in: range, reversed: reversed, limit: limit, at: moment)
        let entries = values.compactMap { moment.entry($0, layout) }
        note(values.lazy.map(\.modRevision).max())
        guard entries.count == limit, let last = entries.last else {
            return (EntryPage(entries: entries, next: nil), revision)
        }
        let rest = range.remainder(after: last.key, reversed: reversed)
        return (EntryPage(entries: entries, next: rest.isEmpty ? nil : rest), revision)
    }

    /// The number of keys of a range. If the store has keys that expire, it reads the keys.
    nonisolated(nonsending) func count(
        of range: KeyRange, at moment: Moment
    ) async throws(StoreError) -> (count: Int, revision: Int64) {
        guard let bounds = layout.data(range) else { return (0, try await newestRevision(moment)) }
        if !hasExpiries.load(ordering: .relaxed) {
            let (response, revision) = try await read(Calls.transaction, at: moment) { revision, isSerializable in
                var count = self.range(bounds.lower, revision, isSerializable)
                (count.rangeEnd, count.countOnly) = (bounds.upper, true)
                let marker = self.range(layout.expiryMarker, revision, isSerializable)
                return EtcdTxnRequest([.range(count), .range(marker)])
            }
            guard response.responses.count == 2 else { throw CallFailure.incomplete.storeError }
            if response.responses[1].responseRange.kvs.isEmpty {
                return (Int(response.responses[0].responseRange.count), revision)
            }
            hasExpiries.store(true, ordering: .relaxed)
        }
        let (values, revision) = try await values(in: range, limit: .max, keysOnly: true, at: moment)
        return (values.count, revision)
    }

    /// The revision of a moment; for the newest state, one round trip.
    nonisolated(nonsending) func newestRevision(_ moment: Moment) async throws(StoreError) -> Int64 {
        if let revision = moment.revision { return revision }
        return try await read(Calls.range, at: moment) { revision, isSerializable in
            range(layout.identity, revision, isSerializable)
        }.revision
    }

    /// Notes a write that was read.
    func note(_ revision: Int64?) {
        if let revision { newestWrite.max(revision, ordering: .relaxed) }
    }
}
#endif
