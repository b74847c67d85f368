package import HeartwoodFileSystem
package import HeartwoodFormat

/// A file that holds, or should hold, data of a store: opened, with what is known of its header.
package struct DataFile {
    /// What the header is worth.
    package enum HeaderState: Sendable, Hashable {
        case sound
        /// The header doesn't verify.
        case damaged(FormatError)
        /// It is of a newer version.
        case unsupported(FormatError)
        /// It verifies, but is not what the name says.
        case misplaced(expected: String)
        /// It verifies, and says that the file is of another kind than its name says.
        case otherKind
    }

    package let name: String
    package let path: String
    package let meaning: StoreFileName
    package let file: any File
    package let size: UInt64
    package let state: HeaderState
    /// As it stands, or as it was put together again from what is in the file and in its name; nil where neither could
    /// be done.
    package private(set) var header: FileHeader?
    /// Whether the header does not stand so in the file.
    package private(set) var isRebuilt: Bool
    /// Of a sound header that isn't what the name says, and of the one that the items of the file tell of, the one that was
    /// not taken.
    package private(set) var otherHeader: FileHeader?
    /// The salt of a damaged header that stands there, where another one is told of by the items alone.
    package private(set) var doubt: UInt32?
    /// Whether nothing tells the numbers of a log but its name.
    package private(set) var isNumberedByName: Bool
    /// The greatest number of a record of a snapshot whose header was put together; 0 where there is none.
    package let newestRecord: UInt64
    /// The salt that stands in a damaged header, where the items of the file may not lie where they were written.
    package let movedFrom: UInt32?
    /// The header that stands in the file and verifies, if one does.
    package var standingHeader: FileHeader? { isRebuilt ? otherHeader : header }
    /// Whether it says that a repair in place was interrupted.
    package let isRepairGuard: Bool

    /// Whether it should have a header, and has none that verifies: put together again or not.
    package var isHeaderDamaged: Bool {
        guard case .damaged = state else { return false }
        switch meaning {
        case .log, .snapshot: return true
        case .temporary, .lock, .keepLog, .other: return isRebuilt
        }
    }

    package var kind: FileHeader.Kind? {
        if let header { return header.kind }
        switch meaning {
        case .log: return .log
        case .snapshot: return .snapshot
        case .temporary, .lock, .keepLog, .other: return nil
        }
    }

    /// O(1), and O(bytes) where a damaged header stands before nothing that verifies.
    ///
    /// - Parameter rebuilds: Whether a damaged header is put together again.
    package init(
        _ entry: StoreListing.Entry, _ file: any File, rebuilds: Bool = true
    ) throws(FileSystemError) {
        name = entry.name
        path = entry.path
        meaning = entry.meaning
        self.file = file
        size = entry.size
        var window = try FileWindow(file, size: FormatConstants.fileHeaderSize)
        let decoded = try window.withBytes(at: 0, count: FormatConstants.fileHeaderSize) { bytes in
            Result { () throws(FormatError) in try FileHeader.decode(bytes) }
        }
        let isGuardsName = entry.name == RepairGuard.name
        isRepairGuard = try window.withBytes(at: 0, count: 512) { isGuardsName && RepairGuard.begins($0) }
        switch decoded {
        case .success(let sound):
            state = Self.fit(sound, meaning)
            // A file of another name, or one that another file's header was written over.
            var rebuilt: HeaderRebuilding.Rebuilt?
            if state != .sound, rebuilds {
                var rebuilding = try HeaderRebuilding(file, size: size, meaning)
                rebuilt = try rebuilding.header(insteadOf: sound)
            }
            isRebuilt = rebuilt?.fits ?? false
            header = isRebuilt ? rebuilt!.header : sound
            otherHeader = isRebuilt ? sound : rebuilt?.header
            isNumberedByName = isRebuilt && rebuilt!.isNumberedByName
            newestRecord = rebuilt?.newestRecord ?? 0
            movedFrom = nil
        case .failure(.unsupported(let what)):
            header = nil
            isRebuilt = false
            isNumberedByName = false
            newestRecord = 0
            movedFrom = nil
            state = .unsupported(.unsupported(what))
        case .failure(let error):
            state = .damaged(error)
            var rebuilding = rebuilds ? try HeaderRebuilding(file, size: size, meaning) : nil
            let rebuilt = try rebuilding?.header()
            doubt = rebuilt?.doubt
            isRebuilt = rebuilt != nil && doubt == nil
            header = isRebuilt ? rebuilt?.header : nil
            otherHeader = isRebuilt ? nil : rebuilt?.header
            isNumberedByName = rebuilt?.isNumberedByName ?? false
            newestRecord = rebuilt?.newestRecord ?? 0
            movedFrom = rebuilt?.movedFrom
        }
    }

    /// Takes the other one of two headers, if there are two.
    package mutating func takeOtherHeader() {
        guard let other = otherHeader else { return }
        otherHeader = header
        header = other
        isRebuilt.toggle()
    }

    /// Takes the header of a file with the same salt: this one is a copy of it, or holds a block of it.
    package mutating func takeHeader(ofOriginal whole: FileHeader) {
        header = whole
        isNumberedByName = false
    }

    /// What verifies in the file is another file's.
    package mutating func leaveOutHeader() {
        header = nil
        isRebuilt = false
        isNumberedByName = false
    }

    /// Takes another first number than that of its name, which belongs to another file.
    package mutating func takeNumber(_ first: UInt64) {
        guard let named = header else { return }
        header = FileHeader(
            kind: named.kind, version: named.version, storeID: named.storeID, salt: named.salt, firstSequence: first,
            predecessor: nil, creationTime: named.creationTime)
    }

    /// What is wrong with the header, as a clause; nil where nothing is.
    ///
    /// - Parameter kind: "log segment" or "snapshot".
    package func headerProblem(of kind: String) -> String? {
        switch state {
        case .sound: nil
        case .damaged where isRepairGuard: RepairGuard.message
        case .damaged: "the header of a \(kind) is damaged"
        case .unsupported: "it was written by a newer version of Heartwood"
        case .otherKind: "a file named as a \(kind) is none"
        case .misplaced(let expected):
            "a \(kind) is misplaced: by its header its name should be \(expected); it was renamed, swapped or copied"
        }
    }

    /// Why the header doesn't verify, where it doesn't.
    package var headerError: FormatError? {
        switch state {
        case .damaged where isRepairGuard: nil
        case .damaged(let error), .unsupported(let error): error
        case .sound, .otherKind, .misplaced: nil
        }
    }

    /// Whether a sound header is that of a file with this name.
    private static func fit(_ header: FileHeader, _ meaning: StoreFileName) -> HeaderState {
        switch meaning {
        case .log(let first):
            guard header.kind == .log else { return .otherKind }
            return header.firstSequence == first
                ? .sound : .misplaced(expected: StoreFileName.log(header.firstSequence))
        case .snapshot(let sequence):
            guard header.kind == .snapshot, header.firstSequence == 1, let end = header.predecessor else {
                return .otherKind
            }
            return end.lastSequence == sequence
                ? .sound : .misplaced(expected: StoreFileName.snapshot(end.lastSequence))
        case .temporary, .lock, .keepLog, .other:
            return .sound
        }
    }
}
