import Foundation
import HeartwoodTesting
import NIOCore
import NIOPosix

/// Sends random requests to a running service, and judges its answers: none may be an error of the service.
struct HostileRun: Sendable {
    var port: Int
    var writeToken: String
    var readToken: String

    struct Result: Sendable {
        var requests = 0
        /// How many answers had each status.
        var statuses: [Int: Int] = [:]
        /// The ids of events that were acknowledged.
        var acknowledged: Set<String> = []
        /// Requests whose answer was an error of the service, and those answers.
        var failures: [(request: [UInt8], answer: String)] = []
    }

    /// Sends requests, one after the other, as long as `goesOn` says so.
    func run(seed: UInt64, while goesOn: @Sendable (Int) -> Bool) async -> Result {
        var requests = HostileRequests(seed: seed, writeToken: writeToken, readToken: readToken)
        var result = Result()
        while goesOn(result.requests) {
            let sent = requests.next()
            result.requests += 1
            // A connection that can't be made is found by the check at the end, if it stays so.
            guard let answer = try? await exchange(sent) else { continue }
            for head in answer.matches(of: #/HTTP/1\.1 ([0-9]{3}) /#) {
                let status = Int(head.1) ?? 0
                result.statuses[status, default: 0] += 1
                if status >= 500 && status != 503 { result.failures.append((sent.bytes, answer)) }
            }
            for list in answer.matches(of: /"ids":\[([^\]]*)\]/) where answer.contains("HTTP/1.1 201 ") {
                for id in list.1.matches(of: /[0-9a-f]{32}/) { result.acknowledged.insert(String(id.0)) }
            }
            requests.learn(from: answer)
        }
        return result
    }

    /// The bytes that come back until nothing comes for a while, or until the service closes the connection.
    func exchange(_ sent: HostileRequests.Sent, untilClosed: Bool = false) async throws -> String {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var start = 0
            for end in sent.cuts + [sent.bytes.count] {
                // The service may have closed the connection.
                guard (try? await outbound.write(ByteBuffer(bytes: sent.bytes[start..<end]))) != nil else { break }
                start = end
            }
            let raw = channel.channel
            let close = { @Sendable (time: TimeAmount) in
                raw.eventLoop.scheduleTask(in: untilClosed ? .hours(1) : time) { raw.close(promise: nil) }
            }
            // How long nothing may come before no answer is expected any more.
            var timer = close(.milliseconds(400))
            defer { timer.cancel() }
            var answer: [UInt8] = []
            do {
                for try await part in inbound where answer.count < 4 << 20 {
                    answer += part.readableBytesView
                    timer.cancel()
                    timer = close(.milliseconds(sent.isStream ? 150 : 25))
                }
            } catch {}
            return String(decoding: answer, as: UTF8.self)
        }
    }
}

@main
enum Main {
    static let usage = """
        usage: COLLECTOR_TOKEN=TOKEN COLLECTOR_READ_TOKEN=TOKEN collector-fuzz PORT SECONDS SEED

        Sends random hostile requests to the service on this machine's PORT for SECONDS, from 16 clients, and prints the
        ids of the events that were acknowledged. Exit codes: 0 no answer was an error of the service; 1 one was, or
        there was none; 64 wrong usage.

        """

    static func main() async throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
        let environment = ProcessInfo.processInfo.environment
        guard CommandLine.arguments.count == 4, numbers.count == 3, let write = environment["COLLECTOR_TOKEN"],
            let read = environment["COLLECTOR_READ_TOKEN"]
        else {
            FileHandle.standardError.write(Data(usage.utf8))
            exit(64)
        }
        let run = HostileRun(port: Int(numbers[0]), writeToken: write, readToken: read)
        let end = ContinuousClock.now + .seconds(Int64(numbers[1]))
        let results = await withTaskGroup(of: HostileRun.Result.self) { group in
            for client in 0..<16 as Range<UInt64> {
                let seed = SeededRandom.mix(numbers[2] &+ client)
                group.addTask { await run.run(seed: seed) { _ in ContinuousClock.now < end } }
            }
            var results: [HostileRun.Result] = []
            for await result in group { results.append(result) }
            return results
        }
        var log = ""
        for failure in results.flatMap(\.failures).prefix(10) {
            log += "REQUEST \(String(decoding: failure.request, as: UTF8.self).debugDescription)\n"
            log += "ANSWER \(failure.answer.prefix(500).debugDescription)\n"
        }
        let statuses = results.reduce(into: [:]) { $0.merge($1.statuses, uniquingKeysWith: +) }
        FileHandle.standardError.write(Data("\(log)statuses \(statuses.sorted { $0.key < $1.key })\n".utf8))
        // Requests with one idempotency key have the same ids.
        for id in Set(results.flatMap(\.acknowledged)) { print(id) }
        exit(log.isEmpty && !statuses.isEmpty ? 0 : 1)
    }
}
