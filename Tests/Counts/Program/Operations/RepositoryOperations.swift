internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodRepository

/// The typed layer's own work, with a coder that does nothing: compare with `overwrite` and `fetch`, which do the same
/// with bytes.
enum RepositoryOperations {
    static var all: [Operation] {
        [
            Operation(
                name: "repository-save", summary: "an existing record of a repository without indexes, .buffered",
                times: 2_000
            ) { try await save([], $0) },
            Operation(
                name: "repository-save-1", summary: "the same with one index, whose value changes", times: 1_000
            ) { try await save([Index("number", \.number)], $0) },
            Operation(
                name: "repository-save-3", summary: "the same with three indexes, one of which changes", times: 1_000
            ) { try await save(three, $0) },
            Operation(
                name: "repository-batch", summary: "100 existing records with three indexes, one of which changes",
                times: 10
            ) { try await saveBatch($0) },
            Operation(
                name: "repository-find", summary: "a record in the page cache, by its id", times: 2_000
            ) {
                try await ask([], $0) { repository, walk in try await repository.find(by: walk.next()) == nil ? 0 : 1 }
            },
            Operation(
                name: "repository-query", summary: "20 records in the page cache, by an index in its order", times: 100
            ) {
                try await ask([group], $0) { repository, walk in
                    let number = walk.next() % groups
                    return try await repository.fetch(
                        where: \.number == number, sort: [.descending(\.id)], limit: 20
                    ).count / 20
                }
            },
            Operation(
                name: "repository-count", summary: "100 entries of an index, counted", times: 200
            ) {
                try await ask([group], $0) { repository, walk in
                    let number = walk.next() % groups
                    return try await repository.count(where: \.number == number) / groups
                }
            },
        ]
    }

    /// Values of `number` that occur in a repository that is only read.
    private static let groups = 100

    private static var three: [Index<Record>] {
        [Index("number", \.number), Index("id", \.id), .unique("both", \.id, \.id)]
    }

    private static var group: Index<Record> { Index("group", \.number, \.id) }

    private struct Record: Codable, Identifiable, Sendable {
        var id: Int
        var number: Int
    }

    /// The record as it is in memory, in a value of the length of all others.
    private struct NoCoder: ModelCoder {
        let name = "none"

        func encode(_ value: some Encodable) throws -> [UInt8] {
            guard let record = value as? Record else { throw WrongOutcome("no record") }
            var bytes = CountedData.values[0]
            bytes.withUnsafeMutableBytes { $0.storeBytes(of: record, as: Record.self) }
            return bytes
        }

        func decode<T: Decodable>(_ type: T.Type, from bytes: RawSpan) throws -> T {
            try WrongOutcome.unless(bytes.byteCount, is: CountedData.valueBytes, "bytes of a record")
            let (id, number) = (
                bytes.unsafeLoadUnaligned(as: Int.self), bytes.unsafeLoadUnaligned(fromByteOffset: 8, as: Int.self)
            )
            guard let record = Record(id: id, number: number) as? T else { throw WrongOutcome("no record") }
            return record
        }
    }

    private static func repository(
        _ store: Store, _ indexes: [Index<Record>], _ count: Int
    ) async throws -> Repository<Record> {
        let repository = try await store.repository(
            of: Record.self, named: "records", indexes: indexes, coder: NoCoder())
        for start in stride(from: 0, to: count, by: 500) {
            try await repository.save(
                (start..<start + 500).map { Record(id: $0, number: $0 % groups) }, durability: .buffered)
            try await store.sync()
        }
        return repository
    }

    private static func save(
        _ indexes: [Index<Record>], _ preparation: Preparation
    ) async throws -> Operation.Work {
        let store = try await SteadyStore.open(InMemoryFileSystem(), at: "/store", CountedData.keys())
        let count = 10_000
        // Opening commits in the catalogue, for which the log writer must run.
        let repository = try await repository(store, indexes, count)
        store.settle()
        let walk = Walk(count)
        var round = 0
        return { times in
            round += 1
            for _ in 0..<times {
                try await repository.save(Record(id: walk.next(), number: round), durability: .buffered)
            }
            try WrongOutcome.unless(try await repository.count(), is: count, "records")
        }
    }

    private static func saveBatch(_ preparation: Preparation) async throws -> Operation.Work {
        let store = try await SteadyStore.open(InMemoryFileSystem(), at: "/store", CountedData.keys())
        let count = 10_000
        let repository = try await repository(store, three, count)
        store.settle()
        let walk = Walk(count)
        var round = groups
        return { times in
            round += 1
            for _ in 0..<times {
                try await repository.save(
                    (0..<100).map { _ in Record(id: walk.next(), number: round) }, durability: .buffered)
            }
            try WrongOutcome.unless(try await repository.count(), is: count, "records")
        }
    }

    /// Asks a repository on the disk; each right answer is 1.
    private static func ask(
        _ indexes: [Index<Record>], _ preparation: Preparation,
        _ question: @escaping (Repository<Record>, Walk) async throws -> Int
    ) async throws -> Operation.Work {
        let files = POSIXFileSystem()
        let count = 10_000
        do {
            let store = try Store(openingAt: preparation.directory, configuration: SteadyStore.configuration(files))
            _ = try await repository(store, indexes, count)
            try await store.close()
        }
        let store = try SteadyStore.reopen(files, at: preparation.directory)
        let repository = try await store.repository(
            of: Record.self, named: "records", indexes: indexes, coder: NoCoder())
        store.settle()
        let walk = Walk(count)
        return { times in
            var sum = 0
            for _ in 0..<times { sum += try await question(repository, walk) }
            try WrongOutcome.unless(sum, is: times, "right answers")
        }
    }
}
