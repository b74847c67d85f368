internal import Heartwood
internal import HeartwoodRepository

/// A record in memory.
struct LocalRecord: Sendable {
    /// Its encoded id.
    let id: [UInt8]
    /// The item, encoded.
    let payload: [UInt8]
    /// The version of the model that the payload has.
    let version: Int
    /// The number of the write that saved it.
    let revision: SequenceNumber
}

/// What a write does to one record.
struct LocalChange: Sendable {
    /// The encoded id.
    var id: [UInt8]
    /// The encoded item; nil removes the record.
    var payload: [UInt8]?
}

/// What an opening has found, changed by each write since.
struct LocalContents: Sendable {
    var layout = KeyLayout(number: 1)
    /// The records that decode, in the order of their ids.
    var records: [LocalRecord] = []
    /// Why the others don't, by encoded id.
    var undecodable: [[UInt8]: StoreError] = [:]
    /// What is wrong with the JSON file, although the store is open.
    var doubt: StoreError?
}

/// What a local repository has in memory: every record that decodes, and what is wrong. Without I/O.
struct LocalImage: Sendable {
    private(set) var contents = LocalContents()
    /// The store, if it is open.
    var store: Store?
    /// What prevented the last opening; nil if it succeeded.
    var failure: StoreError?
    /// How often records were loaded.
    private(set) var loads = 0
    /// Another number after each change.
    private(set) var generation = 0
    private var writesInProgress = 0
    /// The revisions of removals, for writes that began earlier and end later. Kept only while there are such.
    private var removals: [[UInt8]: SequenceNumber] = [:]

    var records: [LocalRecord] { contents.records }
    var undecodable: [[UInt8]: StoreError] { contents.undecodable }

    /// Everything that is wrong: first what prevented the opening.
    var problems: [StoreError] {
        let records = undecodable.sorted { KeyOrder.compare($0.key, $1.key) < 0 }.map(\.value)
        return [failure].compactMap(\.self) + records + [contents.doubt].compactMap(\.self)
    }

    /// - Complexity: O(log records).
    func record(_ id: [UInt8]) -> LocalRecord? {
        let (position, isFound) = position(of: id)
        return isFound ? records[position] : nil
    }

    /// Replaces everything by what an opening has found. Writes in progress stay counted.
    mutating func load(_ contents: LocalContents, _ store: Store) {
        (self.contents, self.store, failure) = (contents, store, nil)
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
            var added: [LocalRecord] = []
            for change in changes {
                if let record = apply(change, version, revision) { added.append(record) }
            }
            insert(added)
            generation += 1
        }
        if writesInProgress == 0 { removals = [:] }
    }

    /// Two writes of one record may end in the opposite order of their revisions: the higher revision counts.
    ///
    /// - Returns: A record that is to be inserted.
    private mutating func apply(
        _ change: LocalChange, _ version: Int, _ revision: SequenceNumber
    ) -> LocalRecord? {
        let (position, isFound) = position(of: change.id)
        let known = isFound ? records[position].revision : removals[change.id]
        if let known, known >= revision { return nil }
        contents.undecodable[change.id] = nil
        guard let payload = change.payload else {
            removals[change.id] = revision
            if isFound { contents.records.remove(at: position) }
            return nil
        }
        removals[change.id] = nil
        let record = LocalRecord(id: change.id, payload: payload, version: version, revision: revision)
        if isFound { contents.records[position] = record }
        return isFound ? nil : record
    }

    private mutating func insert(_ added: [LocalRecord]) {
        if added.count == 1 {
            contents.records.insert(added[0], at: position(of: added[0].id).position)
        } else if !added.isEmpty {
            // Once for all of them: each one alone would move all records after it.
            contents.records += added
            contents.records.sort { KeyOrder.compare($0.id, $1.id) < 0 }
        }
    }

    /// Where a record is, or would be inserted.
    private func position(of id: [UInt8]) -> (position: Int, isFound: Bool) {
        let records = records
        var (low, high) = (0, records.count)
        while low < high {
            let middle = (low + high) / 2
            if KeyOrder.compare(records[middle].id, id) < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, low < records.count && records[low].id == id)
    }
}
