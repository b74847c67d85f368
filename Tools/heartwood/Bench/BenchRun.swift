internal import HeartwoodConcurrency

/// Measures the figures of a plan, in order.
struct BenchRun {
    let plan: BenchPlan
    let tally: BenchTally

    /// The measurements, in order: all of the plan, or those that were finished when a stop was requested.
    ///
    /// - Parameter parent: The directory in which a new one is made. The new one is removed before this returns or
    ///   throws.
    /// - Throws: ``Failure``, or `StoreError`.
    func measure(in parent: String) async throws -> [Measurement] {
        let directory = try BenchDirectory(in: parent, need: plan.neededBytes)
        let outcome: Result<[Measurement], any Error>
        do {
            outcome = .success(try await measure(in: directory))
        } catch let mismatch as Mismatch {
            outcome = .failure(mismatch.failure)
        } catch {
            outcome = .failure(error)
        }
        do {
            try directory.removeAll()
        } catch {
            // An earlier error matters more than one of the removal.
            _ = try outcome.get()
            throw error
        }
        return try outcome.get()
    }

    private func measure(in directory: BenchDirectory) async throws -> [Measurement] {
        let context = BenchContext(
            options: plan.options, plan: plan, directory: directory,
            values: BenchValues(byteCount: plan.options.valueBytes, seed: BenchPlan.seed))
        var measurements: [Measurement] = []
        do {
            for (index, figure) in plan.figures.enumerated() {
                try BenchStopped.check()
                tally.begin(figure, index: index)
                if case .fillsync = figure { measurements[0].add(try await measure(.raw, context)) }
                measurements.append(try await measure(figure, context))
            }
        } catch is BenchStopped {}
        return measurements
    }

    private func measure(_ figure: BenchFigure, _ context: BenchContext) async throws -> Measurement {
        switch figure {
        case .raw: try await BlockingPool.run { try RawFloor(context).measure() }
        case .fillsync(let tasks): try await DurablePuts(context: context, tasks: tasks).measure()
        case .fillrandom, .fillbatch: try await Filling(context: context, figure: figure).measure()
        case .readrandom, .readseq: try await Reading(context: context, figure: figure).measure()
        case .recovery: try await Recovery(context: context).measure()
        }
    }
}
