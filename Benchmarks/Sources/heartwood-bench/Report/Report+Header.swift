internal import Foundation

extension Report {
    /// Where, when, with what and how the figures were made.
    var header: [String] {
        let system = fileSystem.map { "\($0.kind) on \($0.device) (\($0.options))" } ?? "unknown"
        var lines = [
            "heartwood-bench, \(date.formatted(.iso8601))",
            "  command      \(commandLine.joined(separator: " "))",
            "  processor    \(machine.processor), \(machine.cores) core\(machine.cores == 1 ? "" : "s")",
            "  memory       \(Numbers.bytes(machine.memoryBytes))",
            "  kernel       \(machine.kernel)",
            "  directory    \(directory)",
            "  file system  \(system)",
            "  Swift        \(machine.swift)",
            "  peers        "
                + (peers.isEmpty
                    ? "not built" : peers.map { "\($0.title) \($0.version)" }.joined(separator: ", ")),
            "  data         \(settings.keyBytes)-byte random keys, \(settings.valueBytes)-byte random values, "
                + "\(Numbers.grouped(settings.keys)) keys, then overwrites",
            "  figures      medians of \(timing), interleaved; latencies of all runs together",
        ]
        if let load = machine.loadAverage {
            lines.append(
                "  load         \(Numbers.decimal(load, digits: 2)) at the start"
                    + (load > 0.5 ? ": other work was running, so expect noise" : ""))
        }
        return lines + notes
    }

    private var timing: String {
        let lengths = settings.lengths
        let durable =
            lengths.durableSeconds == lengths.seconds
            ? "" : ", durable ones of \(Self.seconds(lengths.durableSeconds))"
        return "\(settings.runs) run\(settings.runs == 1 ? "" : "s") of \(Self.seconds(lengths.seconds)) each" + durable
    }

    private var notes: [String] {
        var lines: [String] = []
        if fileSystem?.isInMemory == true {
            lines.append("  NOTE         this file system is in memory: a sync costs nothing here and means nothing")
        }
        if settings.runs < 5 || settings.lengths.seconds < 10 || settings.lengths.durableSeconds < 20 {
            lines.append(
                "  NOTE         a quick look: a figure to rely on takes 5 runs of 10 s, of durable writes 20 s")
        }
        return lines
    }

    private static func seconds(_ seconds: Double) -> String {
        seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(Numbers.decimal(seconds, digits: 1)) s"
    }
}
