/// One promise of ``KeyValueStore``, and how an engine is checked for it.
public struct ConformanceCheck: Sendable, CustomStringConvertible {
    /// What a check needs in addition to stores.
    enum Need: Sendable { case clock, reopening }

    /// The result of a check that hasn't failed.
    public enum Outcome: Sendable, Hashable {
        /// The engine keeps the promise.
        case passed
        /// The subject lacks what the check needs, which the text says.
        case skipped(String)
    }

    /// The promise, in words. Unique.
    public let name: String
    let need: Need?
    let body: Body

    /// Uses a new store, and throws what it shouldn't have done. What else a check needs, the trial has.
    typealias Body = @Sendable (_ store: any KeyValueStore, _ trial: Trial) async throws -> Void

    init(_ name: String, needs need: Need? = nil, _ body: @escaping Body) {
        (self.name, self.need, self.body) = (name, need, body)
    }

    /// The name.
    public var description: String { name }

    /// All checks.
    public static let all: [ConformanceCheck] =
        reading + paging + views + commits + keyConditions + rangeConditions + transactions + transactionRanges
        + isolation + expiry + feeds + followings + observers + arguments + histories

    /// Runs the check on new stores of an engine. If a view ends meanwhile, it starts again with another store.
    ///
    /// - Throws: What the engine did that it shouldn't.
    @discardableResult
    public func run(on subject: KeyValueStoreConformance.Subject) async throws(ConformanceFailure) -> Outcome {
        switch need {
        case .clock where subject.advanceClock == nil: return .skipped("a clock that can be advanced")
        case .reopening where subject.reopen == nil: return .skipped("a store that can be opened again")
        default: break
        }
        do {
            for _ in 0..<200 where try await attempt(on: subject) { return .passed }
            throw ConformanceFailure(
                "the check was run 200 times", expected: "views that last as long as a check", found: ".viewEnded")
        } catch {
            var failure =
                error as? ConformanceFailure
                ?? ConformanceFailure("the check was run", expected: "no error", found: "\(error)")
            failure.check = "\(subject), \(name)"
            throw failure
        }
    }

    /// False if a view has ended.
    private func attempt(on subject: KeyValueStoreConformance.Subject) async throws -> Bool {
        let trial = try await Trial(subject)
        let result = await Result(running: body, on: trial, deadline: subject.deadline)
        await trial.end()
        do {
            try result.get()
        } catch let error as StoreError where error.code == .viewEnded {
            return false
        }
        return true
    }
}

extension Result where Success == Void, Failure == any Error {
    /// The result of a check, or a failure if it doesn't end in time.
    fileprivate init(running body: @escaping ConformanceCheck.Body, on trial: Trial, deadline: Duration) async {
        self = await withTaskGroup(of: Result?.self) { group in
            group.addTask {
                do { return .success(try await body(trial.store, trial)) } catch { return .failure(error) }
            }
            group.addTask {
                try? await Task.sleep(for: deadline)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
                ?? .failure(
                    ConformanceFailure(
                        "the check was run", expected: "an end within \(deadline)", found: "none"))
        }
    }
}
