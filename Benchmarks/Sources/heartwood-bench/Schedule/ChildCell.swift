internal import Foundation

/// The parent's side of a cell: starts the child process, and returns its result or throws the reason for its failure.
enum ChildCell {
    /// Measures one run.
    ///
    /// - Parameter seconds: Time limit, after which the child is killed.
    static func measure(_ spec: CellSpec, seconds: Double) async throws -> CellResult.Run {
        let child = try start(spec)
        let ending = try await child.wait(seconds: seconds)
        switch ending {
        case .exited(0):
            guard let run = try? JSONDecoder().decode(CellResult.Run.self, from: child.text) else {
                throw CellFailure(failure: "its process ended without a result")
            }
            return run
        case .exited(let code):
            let failure = try? JSONDecoder().decode(CellFailure.self, from: child.text)
            throw failure ?? CellFailure(failure: "its process ended with code \(code)")
        case .crashed(let signal):
            let reason = child.lastErrorLine.map { ": \($0)" } ?? ""
            throw CellFailure(failure: "its process died of signal \(signal)\(reason)")
        case .timedOut: throw CellFailure(failure: "it wasn't done after \(Int(seconds)) s, and was killed")
        case .interrupted: throw CellFailure(failure: "interrupted")
        }
    }

    /// Makes a fixture.
    static func makeFixture(_ spec: CellSpec, isKilled: Bool, seconds: Double) async throws {
        let child = try start(spec)
        guard isKilled else {
            let ending = try await child.wait(seconds: seconds)
            guard ending == .exited(0) else { throw failure(ending, child) }
            return
        }
        guard try await child.waitForLine(seconds: seconds) == "ready" else {
            child.kill()
            throw failure(try await child.wait(seconds: 10), child)
        }
        child.kill()
        _ = try await child.wait(seconds: 10)
    }

    private static func failure(_ ending: ChildProcess.Ending, _ child: ChildProcess) -> CellFailure {
        let reported = try? JSONDecoder().decode(CellFailure.self, from: child.text)
        return CellFailure(failure: "making the store that it starts from failed: \(reported?.failure ?? "\(ending)")")
    }

    static func start(_ spec: CellSpec) throws -> ChildProcess {
        let json = String(decoding: try JSONEncoder().encode(spec), as: UTF8.self)
        return try ChildProcess(arguments: ["cell", json])
    }
}
