/// Whether opening a repository waits until its indexes are built and its records migrated.
public enum MaintenanceMode: Sendable, Hashable {
    /// Opening returns when all is done, and throws if something prevents it.
    case wait
    /// Opening returns at once, and a task does it. What it finds is in the report of the next
    /// ``Repository/maintain(_:)``.
    case background
    /// Opening returns at once; call ``Repository/maintain(_:)`` when it suits.
    case manual
}

/// What ``Repository/maintain(_:)`` has done and found.
public struct MaintenanceReport: Sendable {
    /// Records that were looked at. A call that continues an interrupted one looks at the rest.
    public var records = 0
    /// Records that were rewritten, with new index entries or as a newer version.
    public var rewritten = 0
    /// Entries of dropped indexes that were removed.
    public var removedEntries = 0
    /// Pairs of records with one value in a unique index that is being built. It stays without use until they are
    /// changed. At most 1,000 are listed.
    public var violations: [UniqueViolation] = []
    /// Records that could not be decoded. Indexes that need their values stay without use. At most 1,000 are listed.
    public var undecodable: [StoreError] = []
    /// Records that could not be written. With an ``OversizedKey`` as the cause, a value is too long for a key of an
    /// index: only that index stays without use until the value is changed. Otherwise the record is beyond a limit of
    /// the engine or can't be encoded. At most 1,000 are listed.
    public var unwritable: [StoreError] = []
    /// The names of indexes that are still not ready.
    public var unready: [String] = []

    /// Whether every index is ready, and every record has the current version.
    public var isComplete: Bool {
        unready.isEmpty && violations.isEmpty && undecodable.isEmpty && unwritable.isEmpty
    }

    /// - Throws: The first violation or record that prevents an index from being ready.
    func requireReady() throws(StoreError) {
        let first = violations.first.map { StoreError.violation($0) } ?? undecodable.first ?? unwritable.first
        guard var error = first else { return }
        error.message += "; to do that, open the repository with the maintenance mode .manual"
        throw error
    }
}
