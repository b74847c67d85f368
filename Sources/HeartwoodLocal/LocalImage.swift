internal import Heartwood
internal import HeartwoodRepository

/// A record in memory.
struct LocalRecord: Sendable {
    /// The item, encoded.
    var payload: [UInt8]
    /// The version of the model that the payload has.
    var version: Int
    /// The number of the write that saved it.
    var revision: SequenceNumber
}

/// What a write does to one record.
struct LocalChange: Sendable {
    /// The encoded id.
    var id: [UInt8]
    /// The encoded item; nil removes the record.
    var payload: [UInt8]?
}

/// What a local repository has in memory: every record that decodes, and what is wrong. Without I/O.
struct LocalImage: Sendable {
    /// The store, if it is open.
    var store: Store?
    /// What prevented the last opening; nil if it succeeded.
    var failure: StoreError?
    /// How often records were loaded.
    private(set) var loads = 0
    private(set) var layout = KeyLayout(number: 1)
    private(set) var records: [[UInt8]: LocalRecord] = [:]
    /// The encoded ids of the records, in ascending order.
    private(set) var ids: [[UInt8]] = []
    /// Another number after each change.
    private(set) var generation = 0
    /// Why records aren't among `records`, by encoded id.
    private(set) var undecodable: [[UInt8]: StoreError] = [:]
    /// What is wrong with the JSON file, although the store is open.
    private var doubt: StoreError?
    private var writesInProgress = 0
    /// The revisions of removals, for writes that began earlier and end later. Kept only while there are such.
    private var removals: [[UInt8]: SequenceNumber] = [:]

    /// Everything that is wrong: first what prevented the opening.
    var problems: [StoreError] {
        let records = undecodable.sorted { KeyOrder.compare($0.key, $1.key) < 0 }.map(\.value)
        return (failure.map { [$0] } ?? []) + records + (doubt.map { [$0] } ?? [])
    }

    /// Replaces everything by what an opening has found. Writes in progress stay counted.
    mutating func load(_ opened: OpenedStore) {
        (store, layout, failure, doubt) = (opened.store, opened.layout, nil, opened.doubt)
        (ids, undecodable) = (opened.ids, opened.undecodable)
        records = Dictionary(uniqueKeysWithValues: zip(opened.ids, opened.records))
        loads += 1
        generation += 1
    }

    mutating func beginWrite() { writesInProgress += 1 }

    /// Ends a write.
    ///
    /// - Parameters:
    ///   - changes: What it has written, each id once.
    ///   - revision: The number of the write; nil if it failed.
    mutating func endWrite(_ changes: [LocalChange], _ version: Int, at revision: SequenceNumber?) {
        writesInProgress -= 1
        if let revision {
            let isBatch = changes.count > 64
            for change in changes { apply(change, version, revision, keepsOrder: !isBatch) }
            // Once for all of them: each one alone would move all ids after it.
            if isBatch { sortIDs(changes) }
            generation += 1
        }
        if writesInProgress == 0 { removals = [:] }
    }

    /// Two writes of one record may end in the opposite order of their revisions: the higher revision counts.
    ///
    /// - Parameter keepsOrder: Whether `ids` changes with `records`.
    private mutating func apply(
        _ change: LocalChange, _ version: Int, _ revision: SequenceNumber, keepsOrder: Bool
    ) {
        let known = records[change.id]?.revision ?? removals[change.id]
        if let known, known >= revision { return }
        undecodable[change.id] = nil
        guard let payload = change.payload else {
            removals[change.id] = revision
            let isRemoved = records.removeValue(forKey: change.id) != nil
            if isRemoved, keepsOrder { ids.remove(at: position(of: change.id)) }
            return
        }
        let record = LocalRecord(payload: payload, version: version, revision: revision)
        if records.updateValue(record, forKey: change.id) == nil, keepsOrder {
            ids.insert(change.id, at: position(of: change.id))
        }
        removals[change.id] = nil
    }

    /// Brings `ids` to what `records` has after changes of other ids than before.
    private mutating func sortIDs(_ changes: [LocalChange]) {
        let changed = Set(changes.map(\.id))
        ids = ids.filter { !changed.contains($0) } + changed.filter { records[$0] != nil }
        ids.sort { KeyOrder.compare($0, $1) < 0 }
    }

    /// Where an id is, or would be inserted.
    private func position(of id: [UInt8]) -> Int {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if KeyOrder.compare(ids[middle], id) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
