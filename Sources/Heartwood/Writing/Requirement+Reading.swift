internal import HeartwoodConcurrency

extension Requirement {
    /// - Throws: `.invalidArgument` for a condition with a view of another store.
    init(_ condition: Condition, of image: StoreImage) throws(StoreError) {
        switch condition.kind {
        case .absent(let key): form = .key(key, .absent)
        case .sequence(let key, let sequence): form = .key(key, .sequence(sequence))
        case .unchangedKey(let key, let view):
            let pin = try Self.pin(of: view, image)
            form = .unchangedKey(key, since: pin, wasThere: pin.shows(key))
        case .unchangedRange(let range, let view):
            let pin = try Self.pin(of: view, image)
            form = .unchangedRange(range, since: pin, count: pin.count(range))
        }
    }

    private static func pin(of view: any KeyValueView, _ image: StoreImage) throws(StoreError) -> ReadPin {
        guard let view = view as? ReadView, view.pin.image === image else {
            throw StoreError(
                .invalidArgument, "a condition names a view of another store: use a view of the store that is written")
        }
        return view.pin
    }

    /// The condition in a form that is evaluated without reading a record; nil if it doesn't hold now.
    ///
    /// The index has locations, not sequence numbers. So the record is read here, before the actor is entered. On the
    /// actor it is enough that the key's newest version still has the same location. If the newest version has another
    /// sequence number, no later version will have the wanted one, so the condition fails immediately.
    nonisolated(nonsending) func resolved(in image: StoreImage) async throws(StoreError) -> Requirement? {
        guard case .key(let key, .sequence(let sequence)) = form else {
            return self
        }
        switch try Self.foundNow(key, in: image) {
        case .found(let found): return Self.resolved(key, sequence, found)
        case .mustWait:
            return try await BlockingPool.run { () throws(StoreError) in try resolvedBlocking(in: image) }
        }
    }

    /// A key's newest version, and the number of its write; nil if the key was removed or has expired.
    private typealias Found = (location: RecordLocation, sequence: SequenceNumber)?

    private enum Attempt {
        case found(Found)
        case mustWait
    }

    /// Reads the record, unless that would have to wait for the disk.
    private static func foundNow(_ key: [UInt8], in image: StoreImage) throws(StoreError) -> Attempt {
        try image.index.pinningEpoch { () throws(StoreError) in
            guard let version = current(key, in: image) else { return .found(nil) }
            let sequence = try lend(key) { (key) throws(StoreError) in
                try RecordReader(image: image).withValueNow(of: key, version) { $1 }
            }
            return sequence.map { .found((version.location, $0)) } ?? .mustWait
        }
    }

    private static func resolved(_ key: [UInt8], _ sequence: SequenceNumber, _ found: Found) -> Requirement? {
        guard let found, found.sequence == sequence else { return nil }
        return Requirement(form: .current(key, found.location, sequence))
    }

    /// The same. May block on the disk.
    func resolvedBlocking(in image: StoreImage) throws(StoreError) -> Requirement? {
        guard case .key(let key, .sequence(let sequence)) = form else {
            return self
        }
        let found = try image.index.pinningEpoch { () throws(StoreError) -> Found in
            // Looked up with the reclamation epoch pinned: otherwise the file of the location may already be deleted.
            guard let version = Self.current(key, in: image) else { return nil }
            return try lend(key) { (key) throws(StoreError) in
                try RecordReader(image: image).withValue(of: key, version) { (version.location, $1) }
            }
        }
        return Self.resolved(key, sequence, found)
    }
}
