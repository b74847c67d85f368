#if Etcd
import KeyValueStore

/// Makes batches of the responses of a watch, without I/O.
struct EventCollector {
    private let layout: Layout
    private let store: StoreID
    /// Everything up to this revision has been made.
    private(set) var revision: Int64
    /// Up to this revision nothing in the range has changed that wasn't made; at least `revision`.
    private(set) var progress: Int64
    /// The events of a response whose fragments aren't complete.
    private var fragments: [EtcdEvent] = []

    init(_ layout: Layout, _ store: StoreID, after revision: Int64) {
        (self.layout, self.store, self.revision, progress) = (layout, store, revision, revision)
    }

    /// Forgets a response that isn't complete, because the connection has broken.
    mutating func reset() { fragments = [] }

    /// Begins at the progress, because etcd has compacted what is before, in which nothing had changed.
    mutating func skipToProgress() { revision = progress }

    /// The batches of a response, as far as they are complete. A response of etcd has whole revisions, if not
    /// fragmented.
    mutating func batches(of response: EtcdWatchResponse) -> [[Change]] {
        fragments += response.events
        if response.fragment { return [] }
        let events = fragments
        fragments = []
        if events.isEmpty {
            if !response.created && !response.canceled { progress = max(progress, response.header.revision) }
            return []
        }
        var batches: [[Change]] = []
        // Some versions of etcd deliver events from before the revision that was asked for.
        for event in events where event.kv.modRevision > revision {
            if let last = batches.last?.last, last.sequence == UInt64(event.kv.modRevision) {
                batches[batches.count - 1].append(change(event))
            } else {
                batches.append([change(event)])
            }
        }
        for index in batches.indices { batches[index][batches[index].count - 1].isLastOfBatch = true }
        if let last = batches.last?.last { revision = Int64(last.sequence) }
        progress = max(progress, revision)
        return batches
    }

    private func change(_ event: EtcdEvent) -> Change {
        Change(
            key: layout.key(event.kv.key),
            action: event.type == .delete
                ? .remove : .put(value: [UInt8](event.kv.value), expires: expiry(event.kv)),
            sequence: UInt64(max(0, event.kv.modRevision)), isLastOfBatch: false, store: store)
    }
}
#endif
