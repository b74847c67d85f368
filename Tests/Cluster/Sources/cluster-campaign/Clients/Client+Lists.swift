import KeyValueStore

extension Client {
    mutating func useLists() async {
        // New lists every five seconds: long ones would make long histories.
        let first = Int(recorder.time / 5_000_000) * 3
        let plan = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            (key: first + .random(in: 0..<3, using: &random), value: Bool.random(using: &random) ? value() : nil)
        }
        let appends = plan.compactMap { step in
            step.value.map { ListTransaction.Step.append(key: step.key, value: $0) }
        }
        let start = recorder.time
        var (steps, outcome) = (appends, ListTransaction.Outcome.aborted)
        do throws(StoreError) {
            let result = try await transaction(on: store) { (transaction) throws(StoreError) in
                try await Self.perform(plan, transaction)
            }
            (steps, outcome) = (result.value, .committed)
            if !appends.isEmpty { acknowledge(result.sequence) }
            recorder.count("success")
        } catch {
            recorder.count(error.code.description)
            if error.code == .outcomeUnknown { outcome = .unknown }
        }
        let noted = ListTransaction(client: id, steps: steps, outcome: outcome, start: start, end: recorder.time)
        recorder.change { $0.lists.append(noted) }
    }

    private static func perform(
        _ plan: [(key: Int, value: Int?)], _ transaction: Transaction
    ) async throws(StoreError) -> [ListTransaction.Step] {
        var steps: [ListTransaction.Step] = []
        for (number, value) in plan {
            let key = Array("list:\(number)".utf8)
            let values = numbers(of: try await transaction.fetchEntry(key)?.value ?? [])
            guard let value else {
                steps.append(.read(key: number, values: values))
                continue
            }
            try transaction.put(key, (values + [value]).flatMap(bytes))
            steps.append(.append(key: number, value: value))
        }
        return steps
    }
}
