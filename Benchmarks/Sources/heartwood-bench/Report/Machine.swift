internal import Foundation

extension MachineInfo {
    /// This machine, with the disk of a directory.
    static func current(directory: String) -> MachineInfo {
        let mounted = MountedFileSystem(of: directory)
        return MachineInfo(
            processor: processorName(),
            cores: ProcessInfo.processInfo.activeProcessorCount,
            memoryBytes: ProcessInfo.processInfo.physicalMemory,
            system: kernelName(),
            fileSystem: mounted?.kind ?? "unknown",
            disk: mounted?.device,
            swift: swiftVersion(),
            load: currentLoad())
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

    /// The version of the `swift` on the path, with which `swift run` has built this program.
    private static func swiftVersion() -> String {
        CommandOutput.firstLine("swift", "--version") ?? "unknown"
    }
}
