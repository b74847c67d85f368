internal import Heartwood
internal import HeartwoodFileSystem

/// Openings of stores on the real file system, counted per record or key: the difference to a store with twice as many.
enum OpeningOperations {
    static var all: [Operation] {
        [
            Operation(name: "open-log", summary: "a record of an opening that reads the log", times: 5_000) {
                try await open($0, isCompacted: false)
            },
            Operation(name: "open-snapshot", summary: "a key of an opening that loads a snapshot", times: 5_000) {
                try await open($0, isCompacted: true)
            },
        ]
    }

    private static func open(_ preparation: Preparation, isCompacted: Bool) async throws -> Operation.Work {
        let files = POSIXFileSystem()
        try files.createDirectory(preparation.directory)
        let path = { (count: Int) in "\(preparation.directory)/\(count)" }
        for count in preparation.rounds {
            try await SteadyStore.make(files, at: path(count), CountedData.keys(count), isCompacted: isCompacted)
        }
        // Kept, because releasing a store is not part of opening it.
        var opened: [Store] = []
        return { times in
            let store = try Store(openingAt: path(times), configuration: SteadyStore.configuration(files))
            try WrongOutcome.unless(store.statistics.keys, is: times, "keys of the store")
            opened.append(store)
        }
    }
}
