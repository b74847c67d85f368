internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Rebuilds a damaged file header.
///
/// Only its salt is needed to verify what follows, and every item of the file gives it: the stored checksum, the plain
/// checksum and the offset determine the salt. Two checksums with the same salt confirm it. The numbers are in the
/// commits, or in the file's name. If a block of another file was written over this one, items have several salts; then
/// the name decides which one is the file's own. Of the salts of items that were moved within the file, the one that
/// most items give is tried first.
struct HeaderRebuilding {
    private let file: any File
    private let size: UInt64
    private let meaning: StoreFileName
    private var window: FileWindow
    /// How many salts are tried. Each one requires searches of the file.
    private static let mostSalts = 8

    init(_ file: any File, size: UInt64, _ meaning: StoreFileName) throws(FileSystemError) {
        self.file = file
        self.size = size
        self.meaning = meaning
        window = try FileWindow(file)
    }

    /// A header that was rebuilt from the items of a file.
    struct Rebuilt {
        var header: FileHeader
        /// Whether it agrees with the file's name, or with what is left of its header. Otherwise the items may be from
        /// a block of another file that was written over this one.
        var fits: Bool
        /// Whether only the file's name gives a log's first number.
        var isNumberedByName = false
        /// The highest sequence number of a record in a snapshot; 0 if there is none.
        var newestRecord: UInt64 = 0
        /// The salt in the header, if that could be the file's own header, and the items those of another file's block.
        var doubt: UInt32?
        /// The salt in the header, if the items may have been moved within the file and so give another salt.
        var movedFrom: UInt32?
    }

    /// The first header that fits, else the first one; nil if no item of the file verifies under any salt. O(existing
    /// bytes).
    ///
    /// - Parameter other: The sound header in the file, if there is one: then nil means that there is no better one.
    mutating func header(insteadOf other: FileHeader? = nil) throws(FileSystemError) -> Rebuilt? {
        let stood = try window.withBytes(at: 0, count: 72) { Fields($0) }
        // Moved items of this file verify under other salts, so the salt in the header is tried first.
        var own: Rebuilt?
        if let other {
            guard try !hasItem(other.salt) else { return try misnumbered(other, stood) }
        } else if stood.salt != 0, try hasItem(stood.salt) {
            let record = try window.firstRecord(stood.salt, to: size)
            own = try header(SaltSearch.Found(salt: stood.salt, record: record), stood, isSound: false)
            if let own, isNamed(own) { return own }
        }
        var first: Rebuilt?
        let salts = try SaltSearch.likely(in: &window, to: size).filter { found in
            if let other, ChecksumTag.mayBeMoved(found.salt, from: other.salt, within: size) { return false }
            return found.salt != 0 && found.salt != stood.salt
        }
        for found in salts.prefix(Self.mostSalts) {
            guard let rebuilt = try header(found, stood, isSound: other != nil) else { continue }
            if rebuilt.fits, own == nil || isNamed(rebuilt) && !rebuilt.isNumberedByName { return rebuilt }
            first = first ?? rebuilt
        }
        if let own { return own }
        if other == nil, stood.isPlausible { first?.doubt = stood.salt }
        return first
    }

    /// A header of a log whose first number differs from that of both its commits and its name.
    private mutating func misnumbered(_ header: FileHeader, _ stood: Fields) throws(FileSystemError) -> Rebuilt? {
        guard header.kind == .log, case .log(let named) = meaning,
            try firstSequence(header.salt) == named
        else { return nil }
        return try log(header.salt, stood, .exactly(named)).map { Rebuilt(header: $0.header, fits: true) }
    }

    /// - Parameter isSound: Whether the file has a sound header.
    private mutating func header(
        _ found: SaltSearch.Found, _ stood: Fields, isSound: Bool
    ) throws(FileSystemError) -> Rebuilt? {
        let salt = found.salt
        // If only the salt was damaged, the header's checksum is right with it.
        if let whole = try header(with: salt) { return Rebuilt(header: whole, fits: true) }
        let isStood = stood.salt == salt || !isSound && stood.isPlausible && stood.resembles(salt)
        if try hasFooter(salt) { return try snapshot(salt, stood, fits: isNamed(.snapshot)) }
        let numbers = try numbers(salt)
        if case .unknown = numbers {
            // What is left of the header is better evidence than the name: files can be renamed.
            let hasKeys = try hasKeyBlock(salt)
            let kind = hasKeys ? .snapshot : (isStood ? stood.kind : nil) ?? found.kind(meaning)
            if kind == .snapshot { return try snapshot(salt, stood, fits: isStood || hasKeys && isNamed(.snapshot)) }
        }
        guard let (header, isByName) = try log(salt, stood, numbers) else { return nil }
        var fits = isStood || isNamed(.log)
        if case .log(let named) = meaning {
            let saysSo = stood.firstSequence == named && numbers.last == named
            fits = isStood || numbers == .exactly(named) || saysSo
        }
        // A sound header is better evidence: the items after it may be from a block of another file.
        if isSound, isByName { fits = false }
        return Rebuilt(
            header: header, fits: fits, isNumberedByName: isByName, movedFrom: movedFrom(salt, stood))
    }

    /// The header in the file with this salt instead, if its checksum is right then.
    private mutating func header(with salt: UInt32) throws(FileSystemError) -> FileHeader? {
        var bytes = try window.withBytes(at: 0, count: FormatConstants.fileHeaderSize) { Array($0) }
        guard bytes.count == FormatConstants.fileHeaderSize else { return nil }
        return bytes.withUnsafeMutableBytes { bytes in
            bytes.baseAddress!.store(salt, littleEndianAt: 12)
            return try? FileHeader.decode(UnsafeRawBufferPointer(bytes))
        }
    }

    /// Whether a header agrees with the file's name.
    private func isNamed(_ rebuilt: Rebuilt) -> Bool {
        if case .log(let named) = meaning, rebuilt.header.firstSequence != named { return false }
        return isNamed(rebuilt.header.kind)
    }

    private func isNamed(_ kind: FileHeader.Kind) -> Bool {
        switch meaning {
        case .log: kind == .log
        case .snapshot: kind == .snapshot
        case .temporary, .lock, .keepLog, .other: true
        }
    }

    /// The fields of the bytes at the position of the header.
    private struct Fields {
        var version: UInt16 = 0
        var hasMagic = false
        /// Whether the byte before the salt is 0, as in every header.
        var isZeroBeforeSalt = false
        var kind: FileHeader.Kind?
        var salt: UInt32 = 0
        var storeID = StoreID(low: 0, high: 0)
        var firstSequence: UInt64 = 0
        var predecessor: FileHeader.Predecessor?
        var time: UInt64 = 0

        /// Whether the salt is probably undamaged: the bytes around it could be a header's, with a time between the
        /// years 2004 and 2248.
        var isPlausible: Bool {
            hasMagic && (1...3).contains(version) && kind != nil && isZeroBeforeSalt && salt != 0
                && FormatConstants.sequences.contains(firstSequence) && (1 << 40..<1 << 43).contains(time)
        }

        /// Whether at least half of the salt's bytes equal those of another salt, or all that aren't zeros.
        func resembles(_ other: UInt32) -> Bool {
            let bytes = (0..<4).map { (own: salt >> (8 * $0) & 0xff, other: other >> (8 * $0) & 0xff) }
            let equal = bytes.count { $0.own == $0.other }
            return equal >= 2 || equal == 1 && bytes.count { $0.own == 0 } == 3
        }

        /// Whether the first number follows the predecessor's last, or is one to which openings jump. Several openings
        /// in succession may jump, but not arbitrarily many.
        var numbersFollow: Bool {
            let (last, epoch) = (predecessor?.lastSequence ?? 0, FormatConstants.sequenceEpoch)
            guard firstSequence > last else { return false }
            return firstSequence == last + 1
                || firstSequence % epoch == 0 && firstSequence - last <= Self.mostJumps * epoch
        }
        private static let mostJumps: UInt64 = 4096

        /// Whether a number is the one after the predecessor's last, or the one to which an opening jumps from there.
        func isNext(_ number: UInt64) -> Bool {
            let (last, epoch) = (predecessor?.lastSequence ?? 0, FormatConstants.sequenceEpoch)
            guard last < FormatConstants.sequences.upperBound - epoch else { return false }
            return number == last + 1 || number == ((last + 1) / epoch + 1) * epoch
        }

        init(_ bytes: UnsafeRawBufferPointer) {
            guard bytes.count == 72 else { return }
            version = bytes.load(littleEndianAt: 8)
            hasMagic = bytes.prefix(8).elementsEqual(FormatConstants.fileMagic)
            kind = FileHeader.Kind(rawValue: bytes[10])
            isZeroBeforeSalt = bytes[11] == 0
            self.salt = bytes.load(littleEndianAt: 12)
            storeID = StoreID(low: bytes.load(littleEndianAt: 16), high: bytes.load(littleEndianAt: 24))
            firstSequence = bytes.load(littleEndianAt: 32)
            let salt = bytes.load(UInt32.self, littleEndianAt: 40)
            if salt != 0 {
                predecessor = FileHeader.Predecessor(
                    salt: salt, lastSequence: bytes.load(littleEndianAt: 48), endOffset: bytes.load(littleEndianAt: 56))
            }
            time = bytes.load(littleEndianAt: 64)
        }
    }

    private static let lowerBytes: UInt64 = 1 << 40 - 1

    /// - Returns: Also whether the first number comes from the name and nothing else confirms it.
    private mutating func log(
        _ salt: UInt32, _ stood: Fields, _ numbers: FirstNumber
    ) throws(FileSystemError) -> (header: FileHeader, isByName: Bool)? {
        var first = stood.firstSequence
        var isByName = false
        // Items that were moved within the file verify under another salt, but the header is still theirs.
        let isOwn = stood.salt == salt || movedFrom(salt, stood) != nil
        if !isOwn || !stood.numbersFollow {
            (first, isByName) = (numbers.last ?? 1, true)
            if case .log(let named) = meaning { first = named }
        } else if case .log(let named) = meaning, stood.isNext(named), !stood.isNext(first) {
            first = named
        }
        switch numbers {
        case .exactly(let number): (first, isByName) = (number, false)
        case .among(let numbers):
            // The lower bytes of the header's number may be undamaged. A name that nothing confirms is weaker evidence.
            let spared = numbers.upperBound & ~Self.lowerBytes | stood.firstSequence & Self.lowerBytes
            if isOwn, stood.firstSequence & Self.lowerBytes != 0, numbers.contains(spared), !stood.isNext(first) {
                (first, isByName) = (spared, false)
            } else if !numbers.contains(first) {
                first = numbers.upperBound
            }
            // If records are missing, the numbers before it may be of another file. If no predecessor is left of the
            // header, number 1 would always be the next one.
            if first == numbers.upperBound || stood.predecessor != nil && stood.isNext(first) { isByName = false }
        case .unknown: break
        }
        guard FormatConstants.sequences.contains(first) else { return nil }
        var predecessor = isOwn ? stood.predecessor : nil
        if let last = predecessor?.lastSequence, last >= first { predecessor = nil }
        // The version may be damaged: no record of version 1 has the flag `continuesBatch`.
        var isOriginal = stood.version == 1
        if isOriginal {
            isOriginal = try window.firstRecord(salt, to: size) { $0.flags.contains(.continuesBatch) } == nil
        }
        let header = FileHeader(
            kind: .log, version: isOriginal ? 1 : nil, storeID: stood.storeID, salt: salt, firstSequence: first,
            predecessor: predecessor, creationTime: stood.time)
        return (header, isByName)
    }

    /// - Parameter fits: Whether the file is a snapshot, by other evidence.
    private mutating func snapshot(
        _ salt: UInt32, _ stood: Fields, fits: Bool
    ) throws(FileSystemError) -> Rebuilt? {
        let newest = try newestRecord(salt)
        // Beside another salt, or another first number, the fields are damaged or from another file's header. If the
        // end isn't known, the offset is 0: other files may have it.
        var end = FileHeader.Predecessor(salt: 1, lastSequence: max(1, newest), endOffset: 0)
        if stood.salt == salt, stood.firstSequence == 1, let said = stood.predecessor, said.lastSequence >= newest,
            FormatConstants.possibleSequences.contains(said.lastSequence)
        {
            end = said
        }
        let header = FileHeader(
            kind: .snapshot, storeID: stood.storeID, salt: salt, firstSequence: 1, predecessor: end,
            // The time decides which values have expired, and a damaged one could be far in the future.
            creationTime: 0)
        return Rebuilt(header: header, fits: fits, newestRecord: newest, movedFrom: movedFrom(salt, stood))
    }

    /// The salt in the header, if items that verify under another salt may be the file's own, moved within it.
    private func movedFrom(_ salt: UInt32, _ stood: Fields) -> UInt32? {
        guard stood.isPlausible, stood.salt != salt, ChecksumTag.mayBeMoved(salt, from: stood.salt, within: size) else {
            return nil
        }
        return stood.salt
    }

    /// The highest sequence number of a record in a snapshot; 0 if there is none.
    private mutating func newestRecord(_ salt: UInt32) throws(FileSystemError) -> UInt64 {
        var newest: UInt64 = 0
        _ = try window.firstRecord(salt, to: size) { record in
            if FormatConstants.possibleSequences.contains(record.sequenceDistance) {
                newest = max(newest, record.sequenceDistance + 1)
            }
            return false
        }
        return newest
    }

    /// What is known about a log's first number.
    private enum FirstNumber: Equatable {
        case exactly(UInt64)
        /// One of these. The last one if no record is missing.
        case among(ClosedRange<UInt64>)
        case unknown

        /// The number if no record is missing.
        var last: UInt64? {
            switch self {
            case .exactly(let number): number
            case .among(let numbers): numbers.upperBound
            case .unknown: nil
            }
        }
    }

    /// What commits show about the first number. O(existing bytes).
    private mutating func numbers(_ salt: UInt32) throws(FileSystemError) -> FirstNumber {
        if let number = try firstSequence(salt) { return .exactly(number) }
        return try possibleFirst(salt).map { .among($0) } ?? .unknown
    }

    /// A commit has its first number, and the record after it has the distance of that number from the file's first.
    private mutating func firstSequence(_ salt: UInt32) throws(FileSystemError) -> UInt64? {
        let commitSize = FormatConstants.commitHeaderSize
        return try window.firstItem(
            from: UInt64(FormatConstants.fileHeaderSize), to: size,
            headerBytes: commitSize + FormatConstants.recordHeaderSize, glance: CommitHeader.mayBegin
        ) { bytes, offset in
            guard let commit = try? CommitHeader.decode(bytes.slice(0, commitSize), salt: salt, offset: offset),
                let record = try? RecordHeader.decode(
                    bytes.slice(commitSize, FormatConstants.recordHeaderSize), salt: salt,
                    offset: offset + UInt64(commitSize), flags: .known),
                record.sequenceDistance < commit.firstSequence
            else { return nil }
            return commit.firstSequence - record.sequenceDistance
        }
    }

    /// What commits without a record after them, such as sync marks, show: the count of earlier numbers is at least
    /// what the earlier records have, and at most what fits into the space before the commit.
    private mutating func possibleFirst(_ salt: UInt32) throws(FileSystemError) -> ClosedRange<UInt64>? {
        let start = UInt64(FormatConstants.fileHeaderSize)
        var count: UInt64 = 0
        return try window.firstItem(
            from: start, to: size, headerBytes: FormatConstants.commitHeaderSize,
            glance: { CommitHeader.mayBegin($0) || RecordHeader.mayBegin($0, flags: .known) }
        ) { bytes, offset -> ClosedRange<UInt64>? in
            let header = bytes.slice(0, FormatConstants.recordHeaderSize)
            if let record = try? RecordHeader.decode(header, salt: salt, offset: offset, flags: .known) {
                count = max(count, min(record.sequenceDistance, 1 << 62) + 1)
            }
            guard let commit = try? CommitHeader.decode(bytes, salt: salt, offset: offset),
                FormatConstants.possibleSequences.contains(commit.firstSequence), count < commit.firstSequence
            else { return nil }
            let most = max(count, (offset - start) / UInt64(FormatConstants.recordHeaderSize))
            return commit.firstSequence - min(most, commit.firstSequence - 1)...commit.firstSequence - count
        }
    }

    /// Whether the header of any item verifies.
    private mutating func hasItem(_ salt: UInt32) throws(FileSystemError) -> Bool {
        if try hasFooter(salt) { return true }
        let found = try window.firstItem(
            from: UInt64(FormatConstants.fileHeaderSize), to: size, headerBytes: FormatConstants.commitHeaderSize,
            glance: CommitHeader.mayBegin
        ) { bytes, offset -> Bool? in
            (try? CommitHeader.decode(bytes, salt: salt, offset: offset)) == nil ? nil : true
        }
        if found != nil { return true }
        if try window.firstRecord(salt, to: size) != nil { return true }
        return try hasKeyBlock(salt)
    }

    /// Whether a snapshot with this salt ends at the end of the file.
    private mutating func hasFooter(_ salt: UInt32) throws(FileSystemError) -> Bool {
        let offset = size - min(size, UInt64(SnapshotFooter.encodedSize))
        return try window.withBytes(at: offset, count: SnapshotFooter.encodedSize) { bytes in
            (try? SnapshotFooter.decode(bytes, salt: salt, offset: offset)) != nil
        }
    }

    private mutating func hasKeyBlock(_ salt: UInt32) throws(FileSystemError) -> Bool {
        let found = try window.firstItem(
            from: UInt64(FormatConstants.fileHeaderSize), to: size, headerBytes: KeyBlock.headerSize,
            glance: KeyBlock.mayBegin
        ) { bytes, offset in
            (try? KeyBlock.decodeHeader(bytes, salt: salt, offset: offset)).map { _ in true }
        }
        return found ?? false
    }
}
