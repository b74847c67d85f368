package import HeartwoodFileSystem
package import HeartwoodFormat

/// A file with a snapshot's name, whose header matches its name and whose footer matches its size.
package struct SnapshotFile {
    package let path: String
    package let file: any File
    package let size: UInt64
    package let header: FileHeader
    package let footer: SnapshotFooter

    /// The end of the log that it covers.
    package let end: FileHeader.Predecessor

    package var footerOffset: UInt64 { size - UInt64(SnapshotFooter.encodedSize) }

    /// Why an opening can't start with a snapshot.
    package struct Damage: Error, Sendable {
        package var offset: UInt64
        /// As a clause.
        package var what: String
        package var cause: FormatError?

        /// Whether it is not damage but a newer version of the format.
        package var isUnsupported: Bool {
            if case .unsupported? = cause { true } else { false }
        }
    }

    private init(_ data: DataFile, header: FileHeader, footer: SnapshotFooter, end: FileHeader.Predecessor) {
        (path, file, size) = (data.path, data.file, data.size)
        (self.header, self.footer, self.end) = (header, footer, end)
    }

    /// Opens a file as the snapshot of everything up to a number, whatever the file's name. O(1).
    ///
    /// - Throws: `.corruption`, `.unsupportedFormat`, and errors of the system.
    package init(_ path: String, sequence: UInt64, in fileSystem: any FileSystem) throws(StoreError) {
        var entry = StoreListing.Entry(name: path, path: path, meaning: .snapshot(sequence: sequence))
        let outcome: Result<SnapshotFile, Damage>
        do throws(FileSystemError) {
            let file = try fileSystem.openFile(path, for: .read)
            entry.size = try file.size()
            outcome = try Self.open(DataFile(entry, file, rebuilds: false))
        } catch {
            throw StoreError(error, "a snapshot could not be opened")
        }
        switch outcome {
        case .success(let snapshot): self = snapshot
        case .failure(let damage): throw StoreError(damage, path)
        }
    }

    /// Checks header and footer. O(1).
    package static func open(_ data: DataFile) throws(FileSystemError) -> Result<SnapshotFile, Damage> {
        if let what = data.headerProblem(of: "snapshot") {
            return .failure(Damage(offset: 0, what: what, cause: data.headerError))
        }
        guard let header = data.header, let end = header.predecessor else {
            return .failure(Damage(offset: 0, what: "a file named as a snapshot is none"))
        }
        let offset = data.size - min(data.size, UInt64(SnapshotFooter.encodedSize))
        var window = try FileWindow(data.file, size: SnapshotFooter.encodedSize)
        let footer = try window.withBytes(at: offset, count: SnapshotFooter.encodedSize) { bytes in
            Result { () throws(FormatError) in
                try SnapshotFooter.decode(bytes, salt: header.salt, offset: offset)
            }
        }
        return footer.map { SnapshotFile(data, header: header, footer: $0, end: end) }
            .mapError { Damage(offset: offset, what: "a snapshot is damaged at its end, or was cut short", cause: $0) }
    }

    /// Why an opening can't start with a file; nil if it can. O(bytes of the keys) if those are read too.
    package static func damage(
        of data: DataFile, readingKeys: Bool = true
    ) throws(FileSystemError) -> Damage? {
        let snapshot: SnapshotFile
        switch try open(data) {
        case .success(let sound): snapshot = sound
        case .failure(let damage): return damage
        }
        guard readingKeys else { return nil }
        var section = try KeySection(of: snapshot)
        let batch = KeyBatch()
        while true {
            batch.removeAll()
            switch try section.read(batch) {
            case .success(true): continue
            case .success(false): return nil
            case .failure(let damage): return damage
            }
        }
    }
}

extension StoreError {
    /// The error of an opening that can't start with a snapshot.
    package init(_ damage: SnapshotFile.Damage, _ path: String) {
        if let cause = damage.cause, damage.isUnsupported {
            self = .unsupported(cause, file: path, offset: damage.offset)
        } else {
            self = .corruption(damage.what, file: path, offset: damage.offset, cause: damage.cause)
        }
    }
}
