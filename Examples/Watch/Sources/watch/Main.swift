import Foundation

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Two programs in one: 'write' and 'show'. Examples/Watch/run starts both.
@main
struct Main {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 4, let seconds = Int(arguments[4]) else {
            fail("usage: watch (write | show) DIRECTORY COUNTRY SECONDS", code: 64)
        }
        do {
            switch arguments[1] {
            case "write": try await Writer.run(at: arguments[2], country: arguments[3], seconds: seconds)
            case "show": try await Viewer.run(at: arguments[2], country: arguments[3], seconds: seconds)
            default: fail("neither 'write' nor 'show': \(arguments[1])", code: 64)
            }
        } catch {
            fail("\(error)")
        }
    }

    private static func fail(_ message: String, code: Int32 = 1) -> Never {
        FileHandle.standardError.write(Data("watch: \(message)\n".utf8))
        exit(code)
    }
}
