internal import ArgumentParser
internal import CCallgrind
internal import CZlib
internal import HeartwoodCampaignSupport

/// Runs each hot operation N times and 2N times while callgrind counts the instructions. Tools/counts runs it.
@main
struct Counts: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heartwood-counts",
        abstract: "Runs Heartwood's hot operations under callgrind, which counts their instructions.",
        discussion: """
            Tools/counts runs it and makes a table of the results. Each operation runs N times and then 2N times, and \
            callgrind dumps each count under the label 'counted NAME TIMES'. The difference, divided by N, is the cost \
            of one operation. Without valgrind the operations run and their outcomes are checked; nothing is counted.
            """)

    @Flag(help: "List the operations with a description.")
    var list = false

    @Flag(help: "Print the version of zlib, whose instructions are counted too.")
    var zlib = false

    @Option(help: "Where stores are made.")
    var directory: String?

    @Argument(help: "Which operations; all by default.")
    var names: [String] = []

    func validate() throws {
        for name in names where !Operation.all.contains(where: { $0.name == name }) {
            throw ValidationError("there is no operation '\(name)': see --list")
        }
    }

    func run() throws {
        if zlib { return print(String(cString: zlibVersion())) }
        if list {
            for operation in Operation.all { print(operation.name, operation.summary, separator: "\t") }
            return
        }
        if !heartwood_callgrind_is_there() { print("not under valgrind: nothing is counted") }
        let place = try TemporaryDirectory.make("counts", in: directory)
        defer { TemporaryDirectory.remove(place) }
        try MainThread.run { [names] in
            for operation in Operation.all where names.isEmpty || names.contains(operation.name) {
                let directory = "\(place)/\(operation.name)"
                do {
                    try await Self.count(operation, Preparation(directory: directory, times: operation.times))
                    print("\(operation.name): done")
                } catch let error as LeftOut {
                    print("\(operation.name): left out: \(error.reason)")
                }
            }
        }
    }

    private static func count(_ operation: Operation, _ preparation: Preparation) async throws {
        let work = try await operation.prepare(preparation)
        try await work(Preparation.warmUp)
        for times in [operation.times, 2 * operation.times] {
            try await CountedRegion.count("counted \(operation.name) \(times)") { try await work(times) }
        }
    }
}
