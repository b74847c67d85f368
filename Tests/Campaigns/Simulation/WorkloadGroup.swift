internal import ArgumentParser
internal import HeartwoodCampaignSupport
internal import HeartwoodConcurrency

/// Which workloads a simulation runs, and how many at a time.
struct WorkloadOptions: ParsableArguments {
    @Option(help: "The workload; may be repeated. All of them by default.")
    var workload: [Workload] = []

    @Option(help: "The seed of the first run; each next run adds one. A random one by default.")
    var seed: UInt64 = .random(in: 1...999_999_999)

    @Option(help: "How many workloads at a time.")
    var jobs = 2

    @Flag(help: "Print the counts as JSON.")
    var json = false

    var workloads: [Workload] { workload.isEmpty ? Workload.allCases : workload }
}

extension Workload: ExpressibleByArgument {}

/// Runs a body for each workload, a few at a time, and shows the progress.
struct WorkloadGroup {
    let options: WorkloadOptions
    /// What is counted, such as "images".
    let unit: String
    /// The count that each workload is to reach.
    let wanted: Int

    /// - Parameter body: Gets the workload, and a function to call with its growing count.
    /// - Returns: The results, in the order of the workloads.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable (Workload, @escaping @Sendable (Int) -> Void) async throws -> Result
    ) async throws -> [(Workload, Result)] {
        let board = ProgressBoard(unit: unit, total: wanted * options.workloads.count)
        defer { board.clear() }
        return try await withThrowingTaskGroup(of: (Workload, Result).self) { group in
            var waiting = options.workloads[...]
            var results: [(Workload, Result)] = []
            func startNext() {
                guard let workload = waiting.popFirst() else { return }
                group.addTask {
                    let result = try await body(workload) { board.report(workload, $0) }
                    return (workload, result)
                }
            }
            for _ in 0..<max(1, options.jobs) { startNext() }
            while let result = try await group.next() {
                results.append(result)
                startNext()
            }
            let order = options.workloads
            return results.sorted { order.firstIndex(of: $0.0)! < order.firstIndex(of: $1.0)! }
        }
    }
}

/// The progress of all workloads together: a bar, a rate and the time left.
final class ProgressBoard: Sendable {
    private struct State {
        var counts: [Workload: Int] = [:]
        var shownAt: ContinuousClock.Instant?
    }

    private let state = Locked(State())
    private let progress = CampaignProgress(watchdogSeconds: 300)
    private let unit: String
    private let total: Int

    init(unit: String, total: Int) {
        self.unit = unit
        self.total = total
    }

    func report(_ workload: Workload, _ count: Int) {
        let text: String? = state.withLock { state in
            state.counts[workload] = count
            let now = ContinuousClock.now
            if let shownAt = state.shownAt, now - shownAt < .milliseconds(200) { return nil }
            state.shownAt = now
            let done = state.counts.values.reduce(0, +)
            let seconds = Double((now - progress.start).components.seconds) + 0.001
            let rate = Double(done) / seconds
            let left = rate > 0 ? Int(Double(max(0, total - done)) / rate) : 0
            let filled = min(24, done * 24 / max(1, total))
            let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 24 - filled)
            return "[\(bar)] \(done) of \(total) \(unit), \(Int(rate))/s, \(left / 60) min \(left % 60) s left"
        }
        if let text { progress.show(text) }
    }

    func clear() { progress.end() }
}

/// A table of right-aligned columns.
struct TextTable {
    private var rows: [[String]]

    init(_ header: [String]) { rows = [header] }

    mutating func add(_ name: String, _ numbers: [Int], _ more: String...) {
        rows.append([name] + numbers.map { "\($0)" } + more)
    }

    func print() {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max()! }
        for row in rows {
            let cells = row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + padding : padding + row[column]
            }
            say("  " + cells.joined(separator: "  "))
        }
    }
}
