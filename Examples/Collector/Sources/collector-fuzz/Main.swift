import Foundation
import HeartwoodTesting

/// Sends random hostile requests to a running service for a time.
@main
enum Main {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 3, let port = Int(arguments[0]), let seconds = Int(arguments[1]),
            let seed = UInt64(arguments[2]),
            let write = ProcessInfo.processInfo.environment["COLLECTOR_TOKEN"],
            let read = ProcessInfo.processInfo.environment["COLLECTOR_READ_TOKEN"]
        else {
            let usage = """
                usage: COLLECTOR_TOKEN=TOKEN COLLECTOR_READ_TOKEN=TOKEN collector-fuzz PORT SECONDS SEED

                Sends random hostile requests to the service on this machine's PORT for SECONDS, from 16 clients.
                Exit codes: 0 no answer was an error of the service, and all that was acknowledged is there; 1 it isn't
                so; 64 wrong usage.

                """
            FileHandle.standardError.write(Data(usage.utf8))
            exit(64)
        }
        let run = HostileRun(host: "127.0.0.1", port: port, writeToken: write, readToken: read)
        let end = ContinuousClock.now + .seconds(seconds)
        let result = await withTaskGroup(of: HostileRun.Result.self) { group in
            for client in 0..<16 as Range<UInt64> {
                group.addTask {
                    await run.run(seed: SeededRandom.mix(seed &+ client)) { _ in ContinuousClock.now < end }
                }
            }
            var all = HostileRun.Result()
            for await result in group { all.add(result) }
            return all
        }
        let statuses = result.statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        print("\(result.requests) requests (\(statuses.joined(separator: ", ")))")
        for failure in result.failures.prefix(10) {
            print("REQUEST \(String(decoding: failure.request, as: UTF8.self).debugDescription)")
            print("ANSWER \(failure.answer.prefix(500).debugDescription)")
        }
        let missing = try await run.missing(result.acknowledged)
        print("\(result.acknowledged.count) acknowledged events, \(missing.count) of them lost")
        exit(result.failures.isEmpty && missing.isEmpty && !result.statuses.isEmpty ? 0 : 1)
    }
}
