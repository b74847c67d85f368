import Foundation
import Heartwood
import HeartwoodRepository

/// Loads cities into a repository, and asks it ten questions.
@main
struct Main {
    private static let usage = """
        usage: cities [DIRECTORY] [--data FILE]

        Loads 34,006 cities into a store, as a model with three indexes. Then runs ten queries: prints each one with
        its results, how it was answered and how long it took (the median of 21 runs), and compares it with a filter
        over all records.

          DIRECTORY     keeps the store there; otherwise it is in a temporary directory, and removed in the end
          --data FILE   another file of the same form: JSON lines, compressed with gzip

        Exit codes: 0 every query equals the filter; 1 one doesn't, or something failed; 64 wrong usage.
        The data is from GeoNames (https://www.geonames.org), under CC BY 4.0.
        """

    static func main() async {
        var file = CityFile.standard
        var directory: String?
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            if ["--help", "-h"].contains(argument) {
                print(usage)
                return
            } else if argument == "--data", let path = arguments.popFirst() {
                file = CityFile(path: path)
            } else if !argument.hasPrefix("-"), directory == nil {
                directory = argument
            } else {
                fail("unexpected argument \(argument): see --help", code: 64)
            }
        }
        let temporary = NSTemporaryDirectory() + "heartwood-cities-" + UUID().uuidString
        do {
            let differences = try await Store.withStore(at: directory ?? temporary) { store in
                try await run(store, file)
            }
            try? FileManager.default.removeItem(atPath: temporary)
            if differences > 0 { fail("\(differences) queries differ from a filter over all records") }
        } catch {
            try? FileManager.default.removeItem(atPath: temporary)
            fail("\(error)")
        }
    }

    /// - Returns: How many queries differ from a filter over all records.
    private static func run(_ store: Store, _ file: CityFile) async throws -> Int {
        let all = try file.load()
        print(Terminal.bold("Ten queries on \(Terminal.grouped(all.count)) cities"))
        print("Data: GeoNames (https://www.geonames.org), CC BY 4.0.")

        let cities = try await store.repository(City.repository)
        let start = ContinuousClock.now
        for first in stride(from: 0, to: all.count, by: 1_000) {
            try await cities.save(Array(all[first..<min(first + 1_000, all.count)]))
        }
        let time = ContinuousClock.now - start
        guard try await cities.loadAll() == all.sorted(by: { $0.id < $1.id }) else {
            fail("the store doesn't have what the file has: give it a directory of its own")
        }
        let statistics = store.statistics
        print("Saved with three indexes in \(Terminal.time(time)): batches of 1,000, each on the disk before the next.")
        let (keys, bytes) = (statistics.keys, statistics.indexBytes)
        print(
            "\(Terminal.grouped(keys)) keys take \(Terminal.grouped(bytes / 1_000)) KB of memory, "
                + "\(bytes / max(keys, 1)) bytes each.")

        let example = Example(cities)
        try await example.runAll()
        if example.differences == 0 {
            print("\n" + Terminal.green("All \(example.number) answers equal those of a filter over all records."))
        }
        return example.differences
    }

    private static func fail(_ message: String, code: Int32 = 1) -> Never {
        FileHandle.standardError.write(Data("cities: \(message)\n".utf8))
        exit(code)
    }
}
