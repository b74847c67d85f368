/// Databases of other engines with every key of the dataset in them, made before the clock starts.
enum FilledPeer<Engine: Peer> {
    /// Pairs of one transaction or batch while it is filled.
    private static var batchSize: Int { 10_000 }

    /// The directory of one that was filled, brought into its best shape and closed; kept for other runs.
    static func path(_ run: Run, _ order: KeySource.Order = .random) async throws -> String {
        try await run.fixtures.path("\(Engine.id)-\(order.rawValue)-\(run.data.tag)") { path in
            try await onThread { try fill(path, run, order) }
        }
    }

    /// Opens the one of that directory for `body`, on a thread of its own, and closes it.
    static func opened<R: Sendable>(
        _ path: String, _ body: @escaping @Sendable (Engine) throws -> R
    ) async throws -> R {
        try await onThread {
            let peer = try Engine(opening: path, PeerSettings())
            let result = try body(peer)
            try peer.close()
            return result
        }
    }

    private static func fill(_ path: String, _ run: Run, _ order: KeySource.Order) throws {
        try run.directory.make(path)
        let peer = try Engine(opening: path, PeerSettings())
        let keys = run.data.keys(order)
        var key = keys.makeBuffer()
        var numbers: [Int] = []
        func putNumbers() throws {
            try peer.putTogether { add in
                for number in numbers {
                    keys.write(number, to: &key)
                    try add(key, run.data.value(number))
                }
            }
            numbers.removeAll(keepingCapacity: true)
        }
        func take(_ number: Int) throws {
            numbers.append(number)
            if numbers.count == batchSize { try putNumbers() }
        }
        if Engine.isFilledInOrder {
            try keys.forEachInOrder(take)
        } else {
            try (0..<keys.count).forEach(take)
        }
        if !numbers.isEmpty { try putNumbers() }
        try peer.settle()
        try peer.close()
    }
}
