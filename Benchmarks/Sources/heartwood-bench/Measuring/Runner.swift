/// Runs workloads in the order of a schedule, and keeps what they came to.
struct Runner {
    let data: Dataset
    let directory: WorkDirectory
    let lengths: Lengths
    let progress: ProgressLine
    private(set) var cells: [Cell]

    init(
        _ workloads: [any Workload], data: Dataset, directory: WorkDirectory, lengths: Lengths, progress: ProgressLine
    ) {
        self.data = data
        self.directory = directory
        self.lengths = lengths
        self.progress = progress
        cells = workloads.map(Cell.init)
    }

    /// Runs everything; what was measured before an error or an interruption stays in `cells`.
    mutating func run(_ schedule: Schedule) async throws {
        let fixtures = Fixtures(in: directory)
        progress.begin(steps: schedule.steps.count)
        defer { progress.end() }
        for (position, index) in schedule.steps.enumerated() {
            if Interrupt.isRequested { return }
            let workload = cells[index].workload
            let run = Run(
                data: data, directory: directory, fixtures: fixtures, seconds: lengths.seconds(of: workload))
            progress.show(step: position, "\(workload.name): \(workload.title)")
            // What earlier runs left to be written isn't to be written during this one.
            directory.settle()
            do {
                let sample = try await workload.measure(run)
                // An interrupted run is shorter than the others: it doesn't count.
                if run.isInterrupted { return }
                cells[index].add(sample)
            } catch {
                throw WorkloadFailure(name: workload.name, cause: error)
            }
        }
    }
}

/// A workload that couldn't be run to its end.
struct WorkloadFailure: Error, CustomStringConvertible {
    let name: String
    let cause: any Error

    var description: String { "\(name): \(cause)" }
}

/// A store that didn't do what it said: no figure of it is worth anything.
struct WrongResult: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
