internal import Heartwood
package import HeartwoodFormat

/// What was written to a store, and its files at the end. Repairs of the damaged files are compared with it.
package struct RepairHistory: Sendable {
    package typealias Key = [UInt8]

    /// A change of a key in a batch.
    package struct Change: Sendable, Hashable {
        package var key: Key
        /// nil: a removal.
        package var value: [UInt8]?
        /// Milliseconds since 1970; 0: never.
        package var expires: UInt64 = 0
    }

    /// The value of a key, and the batch that wrote it.
    package typealias Found = StoreReplica.Value

    /// One of the files at the end, and its contents.
    package struct File: Sendable {
        package var bytes: [UInt8]
        package var header: FileHeader
        /// Commits; none in a snapshot.
        package var layout: FileLayout?
        /// Records of a snapshot.
        package var records: [FileLayout.Record] = []
        /// The parts of each batch; none in a snapshot.
        package var batches: [UInt64: [Range<Int>]] = [:]
        /// Whether a newer snapshot covers all of it.
        package var isCovered = false

        package var isSnapshot: Bool { header.kind == .snapshot }
        /// The last sequence number that a snapshot covers.
        package var coveredThrough: UInt64 { header.predecessor?.lastSequence ?? 0 }

        package init(_ bytes: [UInt8]) throws {
            self.bytes = bytes
            header = try bytes.withUnsafeBytes { try FileHeader.decode($0) }
            if isSnapshot {
                records = try FileLayout.records(ofSnapshot: bytes)
            } else {
                let layout = try FileLayout(log: bytes)
                batches = layout.batches
                self.layout = layout
            }
        }
    }

    /// All files, including the lock and temporary files.
    package var image = DirectoryImage()
    /// The segments and snapshots among them.
    package var files: [String: File] = [:]
    /// Earlier states of these files.
    package var earlier: [String: [[UInt8]]] = [:]
    /// Files of another store.
    package var foreign: [[UInt8]] = []
    /// Every sequence number that was given, and its changes.
    package var changes: [UInt64: [Change]] = [:]
    /// The batches that an opening of the files recovers.
    package var live: Set<UInt64> = []
    /// Batches that an opening after a crash didn't recover.
    package var dead: Set<UInt64> = []
    /// The time of the end, in milliseconds since 1970: later than every write.
    package var time: UInt64 = 0
    /// The entries that an opening shows.
    package var state: [Key: Found] = [:]
    /// The newest live batch of each key.
    package var newest: [Key: UInt64] = [:]

    /// The segments, in their order.
    package var logs: [String] { files.filter { !$0.value.isSnapshot }.keys.sorted() }
    /// The snapshots, in their order.
    package var snapshots: [String] { files.filter(\.value.isSnapshot).keys.sorted() }

    /// The value that a batch gave a key; nil if none, or if it has expired.
    package func outcome(of sequence: UInt64, for key: Key) -> Found? {
        guard let change = changes[sequence]?.last(where: { $0.key == key }), let value = change.value,
            change.expires == 0 || change.expires > time
        else { return nil }
        return Found(
            bytes: value, sequence: sequence,
            expires: change.expires == 0 ? nil : Timestamp(milliseconds: change.expires))
    }

    /// Whether a key ever had a value.
    func hasValue(_ value: [UInt8], of key: Key) -> Bool {
        changes.values.contains { $0.contains { $0.key == key && $0.value == value } }
    }

    /// Derives the contents of the complete files.
    ///
    /// - Parameter recovered: The sequence number up to which an opening recovers.
    mutating func finish(recovered: UInt64) throws {
        live = Set(changes.keys.filter { $0 <= recovered && !dead.contains($0) })
        for sequence in live.sorted() {
            for change in changes[sequence] ?? [] { newest[change.key] = sequence }
        }
        for (key, sequence) in newest { state[key] = outcome(of: sequence, for: key) }
        for (name, bytes) in image.files where name.hasSuffix(".log") || name.hasSuffix(".snapshot") {
            files[name] = try File(bytes)
        }
        noteCovered()
        earlier = earlier.filter { files[$0.key] != nil }
        for (name, file) in files { earlier[name]?.removeAll { $0 == file.bytes } }
    }

    private mutating func noteCovered() {
        let snapshots = snapshots
        guard let newest = snapshots.last, let end = files[newest]?.header.predecessor else { return }
        for name in snapshots.dropLast() { files[name]?.isCovered = true }
        for name in logs {
            guard let header = files[name]?.header else { continue }
            if header.predecessor == end || header.firstSequence > end.lastSequence + 1 { break }
            files[name]?.isCovered = true
        }
    }
}
