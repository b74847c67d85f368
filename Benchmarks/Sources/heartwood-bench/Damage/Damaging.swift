internal import Foundation

/// `damage-closed`, `damage-killed`: what an engine does when one byte of its files has changed.
struct Damaging: Sendable {
    /// Number of changes, each in its own copy.
    var changes: Int

    /// Seconds after which a change counts as hung.
    static let patience = 10.0

    /// In the child process: tries the changes from `first` on, and prints the number and the effect of each.
    func tryAll<E: Engine>(_ engine: E, _ cell: Cell, from first: Int, seed: UInt64) async throws {
        let files = try DamagedFiles(cell.store, except: engine.unimportantFiles)
        for number in first..<changes {
            let path = try cell.newDirectory("change")
            try files.write(files.change(number, seed: seed), to: path)
            let outcome = await DamageTrial.run(engine, cell.row.use, cell.data, at: path)
            print("\(number) \(outcome.rawValue)")
            fflush(nil)
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// In the parent process: starts children until all changes are tried. A child that dies or hangs costs one change.
    func measure(_ spec: CellSpec) async throws -> CellResult.Run {
        let started = Date().timeIntervalSince1970
        let start = Ticks.now
        var classes: [DamageClass] = []
        while classes.count < changes, !Interrupt.isRequested {
            var next = spec
            next.action = .damage
            next.run = classes.count
            let before = classes.count
            let child = try ChildCell.start(next)
            let ending = try await follow(child, &classes)
            if classes.count >= changes { break }
            switch ending {
            case .crashed: classes.append(.crashed)
            case .timedOut: classes.append(.hung)
            case .interrupted: break
            case .exited(let code):
                // The engine has ended the process. If no change was tried at all, it would do so for ever.
                guard classes.count > before || before > 0 else {
                    throw CellFailure(failure: "its process ended with code \(code) before the first change")
                }
                classes.append(.crashed)
            }
        }
        return CellResult.Run(
            operations: classes.count, seconds: Ticks.seconds(from: start, to: Ticks.now), bytes: 0,
            damage: DamageResult(classes), started: started)
    }

    /// Reads what a child prints until it ends, or prints nothing for too long.
    private func follow(_ child: ChildProcess, _ classes: inout [DamageClass]) async throws -> ChildProcess.Ending {
        let before = classes.count
        while true {
            let ending = try await child.wait(forOutputOr: Self.patience)
            let words = String(decoding: child.text, as: UTF8.self).split(
                separator: "\n", omittingEmptySubsequences: true)
            // The last line may be incomplete; all lines are read again.
            let outcomes = words.compactMap { DamageClass(rawValue: String($0.split(separator: " ").last ?? "")) }
            classes = Array(classes.prefix(before)) + outcomes
            if let ending { return ending }
        }
    }
}
