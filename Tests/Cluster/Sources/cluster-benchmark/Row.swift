import Foundation

/// One client's way to make a call: a key of the task's own, and a number that no other call of the client has.
struct Client: Sendable {
    let name: String
    let call: @Sendable (_ key: [UInt8], _ number: Int) async throws -> Void
}

/// Something that several clients do, in turns.
struct Row: Sendable {
    let name: String
    let tasks: Int
    let clients: [Client]

    func measure(rounds: Int, seconds: Double) async throws -> RowResult {
        var results = clients.map { RowResult.Rates(client: $0.name) }
        // The first round connects, and creates slots and keys.
        for round in 0...rounds {
            for (index, client) in clients.enumerated() {
                let (rate, microseconds) = try await measure(client, round, seconds)
                if round == 0 { continue }
                results[index].perSecond.append(rate)
                results[index].cpuMicroseconds.append(microseconds)
            }
        }
        return RowResult(name: name, clients: results)
    }

    /// Calls a second, and the CPU time of this process for one.
    private func measure(_ client: Client, _ round: Int, _ seconds: Double) async throws -> (Double, Double) {
        let (cpu, start) = (clock(), ContinuousClock.now)
        let end = start + .seconds(seconds)
        let calls = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    let key = Array("key-\(1_000_000_000 + task)".utf8)
                    var number = 0
                    while ContinuousClock.now < end {
                        try await client.call(key, (round * tasks + task) * 1_000_000 + number)
                        number += 1
                    }
                    return number
                }
            }
            return try await group.reduce(0, +)
        }
        let time = (ContinuousClock.now - start) / .seconds(1)
        let used = Double(clock() - cpu) / Double(CLOCKS_PER_SEC)
        return (Double(calls) / time, used * 1_000_000 / Double(max(1, calls)))
    }
}

/// What the clients of a row have reached; the first one is compared with the others.
struct RowResult: Encodable {
    struct Rates: Encodable {
        var client: String
        var perSecond: [Double] = []
        var cpuMicroseconds: [Double] = []
    }

    var name: String
    var clients: [Rates]

    var text: String {
        let own = median(clients[0].perSecond)
        let lines = clients.enumerated().map { index, rates in
            let values = rates.perSecond
            let range = "\(Int(values.min() ?? 0)) to \(Int(values.max() ?? 0))"
            let cpu = "\(Int(median(rates.cpuMicroseconds))) µs of CPU"
            let text = "  \(rates.client): \(Int(median(values)))/s (\(range)), \(cpu)"
            return index == 0 ? text : text + ", ratio \(String(format: "%.2f", own / median(values)))"
        }
        return ([name] + lines).joined(separator: "\n")
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
