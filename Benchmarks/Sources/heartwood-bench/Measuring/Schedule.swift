/// The order of the runs: every workload once, then every workload again, so that a disk that drifts drifts for all.
/// The raw loop runs before each durable workload.
struct Schedule: Sendable {
    /// Indexes into the workloads, in the order in which they run.
    let steps: [Int]

    init(workloads: [any Workload], raw: Int?, runs: Int) {
        let compared = workloads.indices.filter { $0 != raw && workloads[$0].group == .durable }
        steps = (0..<runs).flatMap { round in
            workloads.indices.flatMap { index -> [Int] in
                if round > 0, workloads[index].needsOneRun { return [] }
                guard let raw else { return [index] }
                if index == raw { return compared.isEmpty ? [raw] : [] }
                return compared.contains(index) ? [raw, index] : [index]
            }
        }
    }
}
