internal import Foundation

/// Where and with what the figures were made.
struct Machine: Sendable, Codable {
    var processor: String
    var cores: Int
    var memoryBytes: UInt64
    var kernel: String
    var swift: String
    /// Processes that were running or waiting for the disk, over the last minute, when the run began; nil where the
    /// system doesn't say.
    var loadAverage: Double?

    /// What this process can find out.
    static func current() -> Machine {
        Machine(
            processor: processorName(),
            cores: ProcessInfo.processInfo.activeProcessorCount,
            memoryBytes: ProcessInfo.processInfo.physicalMemory,
            kernel: kernelName(),
            swift: swiftVersion(),
            loadAverage: currentLoad())
    }

    private static func processorName() -> String {
        #if canImport(Darwin)
        var name = [UInt8](repeating: 0, count: 256)
        var count = name.count
        guard sysctlbyname("machdep.cpu.brand_string", &name, &count, nil, 0) == 0 else { return "unknown" }
        return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        #else
        let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        for line in information.split(separator: "\n") where line.hasPrefix("model name") {
            if let colon = line.firstIndex(of: ":") {
                return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
        }
        var names = utsname()
        uname(&names)
        return text(names.machine)
        #endif
    }

    private static func kernelName() -> String {
        var names = utsname()
        uname(&names)
        return "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))"
    }

    private static func text<T>(_ characters: T) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static func currentLoad() -> Double? {
        var loads = [0.0]
        return getloadavg(&loads, 1) == 1 ? loads[0] : nil
    }

    /// The version of the `swift` on the path, which is the one that `swift run` has built this with; failing that,
    /// what is known of the compiler.
    private static func swiftVersion() -> String {
        if let line = CommandOutput.firstLine("swift", "--version") { return line }
        #if compiler(>=6.4)
        return "6.4 or newer"
        #elseif compiler(>=6.3)
        return "6.3"
        #else
        return "6.2"
        #endif
    }
}
