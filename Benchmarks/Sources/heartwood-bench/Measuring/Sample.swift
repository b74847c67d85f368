/// What one run of one workload did.
struct Sample: Sendable {
    /// Number of operations.
    var operations: Int
    /// How long they took together.
    var seconds: Double
    /// How long each took, where the workload looks.
    var latencies: Latencies?
    /// Writes, each with its own acknowledgement, and the syncs of the disk that they shared.
    var sharing: (writes: UInt64, syncs: UInt64)?
    /// Turns to a new log segment.
    var rotations: UInt64?
    /// Operations that happen as one whole, where the time of the whole is what people ask for: the records of an
    /// opening.
    var whole: Int?
    /// Something else that went on meanwhile, operations a second.
    var beside: Double?
    /// What the index takes in memory.
    var footprint: Footprint?
    /// What else was measured.
    var figures: [Figure: Double] = [:]

    /// Operations a second.
    var rate: Double { seconds > 0 ? Double(operations) / seconds : 0 }
}

/// Bytes of memory that an index takes for each key.
struct Footprint: Sendable, Codable {
    var keyBytes: Int
    var keys: Int
    /// After the keys were put one by one, in random order.
    var inserted: Double
    /// After the store was closed and opened again.
    var loaded: Double

    /// Beyond the key itself.
    var insertedBeyondKey: Double { inserted - Double(keyBytes) }
    var loadedBeyondKey: Double { loaded - Double(keyBytes) }
}
