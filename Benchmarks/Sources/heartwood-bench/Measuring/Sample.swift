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
    /// Something else that went on meanwhile, operations a second.
    var beside: Double?

    /// Operations a second.
    var rate: Double { seconds > 0 ? Double(operations) / seconds : 0 }
}
