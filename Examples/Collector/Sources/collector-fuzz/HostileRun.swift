import HeartwoodTesting
import NIOCore
import NIOPosix

/// Sends random requests to a running service, and judges its answers: none may be an error of the service, and what
/// was acknowledged must be there afterwards.
struct HostileRun: Sendable {
    let host: String
    let port: Int
    let writeToken: String
    let readToken: String

    /// What has come of the requests.
    struct Result: Sendable {
        var requests = 0
        /// How many answers had each status.
        var statuses: [Int: Int] = [:]
        /// The ids of events that were acknowledged.
        var acknowledged: Set<String> = []
        /// Requests whose answer was an error of the service, and those answers.
        var failures: [(request: [UInt8], answer: String)] = []

        mutating func add(_ other: Result) {
            requests += other.requests
            statuses.merge(other.statuses, uniquingKeysWith: +)
            acknowledged.formUnion(other.acknowledged)
            failures += other.failures
        }
    }

    /// How long nothing may come before an answer counts as complete, and before none is expected any more.
    private static let quiet = (after: TimeAmount.milliseconds(25), none: TimeAmount.milliseconds(400))

    /// Sends requests, one after the other, as long as `goesOn` says so.
    func run(seed: UInt64, while goesOn: @Sendable (Int) -> Bool) async -> Result {
        var requests = HostileRequests(seed: seed, writeToken: writeToken, readToken: readToken)
        var result = Result()
        while goesOn(result.requests) {
            let sent = requests.next()
            result.requests += 1
            // A connection that can't be made is found by the check at the end, if it stays so.
            guard let answer = try? await exchange(sent) else { continue }
            judge(answer, to: sent, &result)
            learn(from: answer, &requests)
        }
        return result
    }

    /// The bytes that come back.
    ///
    /// - Parameter patience: How long nothing may come before no answer is expected any more.
    func exchange(_ sent: HostileRequests.Sent, patience: TimeAmount = quiet.none) async throws -> String {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: host, port: port) { channel in
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
                raw.eventLoop.scheduleTask(in: time) { raw.close(promise: nil) }
            }
            var timer = close(patience)
            defer { timer.cancel() }
            var answer: [UInt8] = []
            do {
                for try await part in inbound {
                    answer += part.readableBytesView
                    timer.cancel()
                    timer = close(sent.isStream ? 6 * Self.quiet.after : Self.quiet.after)
                    if answer.count > 4 << 20 { break }
                }
            } catch {}
            return String(decoding: answer, as: UTF8.self)
        }
    }

    private func judge(_ answer: String, to sent: HostileRequests.Sent, _ result: inout Result) {
        for head in answer.matches(of: #/HTTP/1\.1 ([0-9]{3}) /#) {
            let status = Int(head.1) ?? 0
            result.statuses[status, default: 0] += 1
            if status >= 500 && status != 503 { result.failures.append((sent.bytes, answer)) }
        }
        guard answer.contains("HTTP/1.1 201 ") else { return }
        for list in answer.matches(of: /"ids":\[([^\]]*)\]/) {
            for id in list.1.matches(of: /[0-9a-f]{32}/) { result.acknowledged.insert(String(id.0)) }
        }
    }

    private func learn(from answer: String, _ requests: inout HostileRequests) {
        for match in answer.matches(of: /"ids?":\[?"([0-9a-f]{32})"/).prefix(4) { requests.note(.id, String(match.1)) }
        for match in answer.matches(of: /"(?:next|previous)":"([^"]+)"/) { requests.note(.cursor, String(match.1)) }
        for match in answer.matches(of: /(?m)^id: ([^\r\n]+)/).prefix(4) { requests.note(.position, String(match.1)) }
        for match in answer.matches(of: /collector_session=([^;\s]+)/) { requests.note(.cookie, String(match.1)) }
    }

    /// The ids of events that are acknowledged and can't be read.
    func missing(_ ids: Set<String>) async throws -> [String] {
        let ids = ids.sorted()
        let clients = 16
        return try await withThrowingTaskGroup(of: [String].self) { group in
            for client in 0..<clients {
                group.addTask {
                    var missing: [String] = []
                    for index in stride(from: client, to: ids.count, by: clients) {
                        if try await !isThere(ids[index]) { missing.append(ids[index]) }
                    }
                    return missing
                }
            }
            var all: [String] = []
            for try await missing in group { all += missing }
            return all
        }
    }

    private func isThere(_ id: String) async throws -> Bool {
        let lines = [
            "GET /events/\(id) HTTP/1.1", "Host: a", "Connection: close", "Authorization: Bearer \(readToken)", "", "",
        ]
        let request = Array(lines.joined(separator: "\r\n").utf8)
        // A slow answer isn't a lost event.
        let answer = try await exchange(HostileRequests.Sent(bytes: request), patience: .minutes(2))
        return answer.hasPrefix("HTTP/1.1 200")
    }
}
