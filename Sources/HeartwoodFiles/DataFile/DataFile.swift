package import HeartwoodFileSystem
package import HeartwoodFormat

/// A file that contains, or should contain, data of a store: opened, with the result of checking its header.
package struct DataFile {
    /// The result of checking the header.
    package enum HeaderState: Sendable, Hashable {
        case sound
        /// The header doesn't verify.
        case damaged(FormatError)
        /// It is from a newer version of the format.
        case unsupported(FormatError)
        /// It verifies, but doesn't match the file's name.
        case misplaced(expected: String)
        /// It verifies, but its kind isn't that of the file's name.
        case otherKind
    }

    package let name: String
    package let path: String
    package let meaning: StoreFileName
    package let file: any File
    package let size: UInt64
    package let state: HeaderState
    /// What is wrong with its header; nil if nothing is known to be.
    package var damage: FormatError? {
        if case .damaged(let error) = state { error } else { nil }
    }
    /// The header in the file, or one that was rebuilt from the file's items and its name; nil if neither is possible.
    package private(set) var header: FileHeader?
    /// Whether the header differs from the one in the file.
    package private(set) var isRebuilt = false
    /// The file has a sound header that doesn't match its name, and its items show another one: the header of these two
    /// that was not taken.
    package private(set) var otherHeader: FileHeader?
    /// The salt of the damaged header in the file, if only the items show a different salt.
    package private(set) var doubt: UInt32?
    /// Whether only the file's name gives the numbers of a log.
    package private(set) var isNumberedByName = false
    /// The highest sequence number of a record in a snapshot whose header was rebuilt; 0 if there is none.
    package private(set) var newestRecord: UInt64 = 0
    /// The salt of the damaged header in the file, if the file's items may have been moved within the file.
    package private(set) var movedFrom: UInt32?
    /// The header in the file, if it verifies.
    package var standingHeader: FileHeader? { isRebuilt ? otherHeader : header }
    /// Whether the file says that an in-place repair was interrupted.
    package let isRepairGuard: Bool

    /// Whether the file should have a header but has none that verifies, whether it was rebuilt or not.
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

    /// O(1); O(bytes) if the header is damaged and nothing after it verifies.
    ///
    /// - Parameter rebuilds: Whether to rebuild a damaged header.
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
            // The file was renamed, or another file's header was written over it.
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
        case .failure(.unsupported(let what)):
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

    /// Takes the other one of two possible headers, if there is one.
    package mutating func takeOtherHeader() {
        guard let other = otherHeader else { return }
        otherHeader = header
        header = other
        isRebuilt.toggle()
    }

    /// Takes the header of a file with the same salt: this file is a copy of it, or contains a block of it.
    package mutating func takeHeader(ofOriginal whole: FileHeader) {
        header = whole
        isNumberedByName = false
    }

    /// Drops the header: what verifies in the file belongs to another file.
    package mutating func leaveOutHeader() {
        header = nil
        isRebuilt = false
        isNumberedByName = false
    }

    /// Replaces the first number from the file's name: that name belongs to another file.
    package mutating func takeNumber(_ first: UInt64) {
        guard let named = header else { return }
        header = FileHeader(
            kind: named.kind, version: named.version, storeID: named.storeID, salt: named.salt, firstSequence: first,
            predecessor: nil, creationTime: named.creationTime)
    }

    /// What is wrong with the header, as a clause; nil if it is sound.
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

    /// Why the header doesn't verify; nil if it does.
    package var headerError: FormatError? {
        switch state {
        case .damaged where isRepairGuard: nil
        case .damaged(let error), .unsupported(let error): error
        case .sound, .otherKind, .misplaced: nil
        }
    }

    /// Whether a sound header matches the file's name.
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
