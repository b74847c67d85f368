internal import ArgumentParser
internal import Foundation

/// The child process: executes the parent's request, and prints the result as JSON. Not for users.
struct CellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "cell", shouldDisplay: false)

    @Argument(help: "What to do, as JSON.")
    var spec: String

    func run() async throws {
        ChildLife.begin()
        let spec = try JSONDecoder().decode(CellSpec.self, from: Data(spec.utf8))
        let runner = try CellRunner(spec)
        do {
            guard let run = try await runner.run() else {
                guard spec.action == .makeFixture else { return }
                print("ready")
                fflush(nil)
                // The parent kills this process if the fixture is a killed store.
                if runner.row.fixture?.isKilled == true { try await Task.sleep(for: .seconds(3_600)) }
                return
            }
            print(String(decoding: try JSONEncoder().encode(run), as: UTF8.self))
        } catch {
            print(String(decoding: try JSONEncoder().encode(CellFailure(failure: "\(error)")), as: UTF8.self))
            throw ExitCode(1)
        }
    }
}

/// What a child prints if it fails.
struct CellFailure: Sendable, Codable, Error, CustomStringConvertible {
    var failure: String
    var description: String { failure }
}

/// Ends a child with its parent.
enum ChildLife {
    static func begin() {
        // Ctrl-C goes to all processes of the terminal, but the parent ends its children.
        signal(SIGINT, SIG_IGN)
        Thread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            _exit(1)
        }.start()
    }
}
