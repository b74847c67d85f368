internal import HeartwoodFileSystem

/// The resources that a command needs to run at all. They are checked before the first thread starts: without them,
/// Swift's runtime ends the process by a signal, or waits forever.
enum Resources {
    /// Checks that a command has what it needs.
    ///
    /// - Parameter command: Its name, as typed.
    /// - Throws: ``Failure`` with ``ExitStatus/tryLater``: what is missing, and how much is needed.
    static func check(for command: String?) throws(Failure) {
        let need = Need(command)
        if let limit = ProcessLimits.memory {
            guard limit >= need.memory else {
                throw Failure(
                    .tryLater,
                    "'\(need.command)' needs \(Numbers.bytes(need.memory)) of memory addresses, and the limit "
                        + "is \(Numbers.bytes(limit)): raise it with 'ulimit -v \(need.memory >> 10)' "
                        + "(and 'ulimit -d', where that is set)")
            }
            ProcessLimits.shareHeap()
            Signals.explainDeath(
                "heartwood: ended by a lack of memory or a defect: the limit of memory addresses is "
                    + "\(Numbers.bytes(limit)): raise it with 'ulimit -v' (and 'ulimit -d', where that is set)\n")
        }
        let files = ProcessLimits.raiseOpenFiles(to: 1024)
        guard files >= Need.files else {
            throw Failure(
                .tryLater,
                "'\(need.command)' needs \(Need.files) open files, and the limit is \(files): "
                    + "raise it with 'ulimit -n \(Need.files)'")
        }
        guard ProcessLimits.canStart(threads: need.threads) else {
            throw Failure(
                .tryLater,
                "'\(need.command)' needs \(need.threads) threads, and the system starts no more for this user: "
                    + "raise the limit ('ulimit -u', or pids.max of the control group), or end other processes")
        }
    }
}

/// What a command needs, measured with small stores. Large stores need more, for keys and for the largest values.
private struct Need {
    /// Open files, for every command.
    static let files: UInt64 = 32

    let command: String
    /// In bytes.
    let memory: UInt64
    let threads: Int

    init(_ command: String?) {
        let mebibytes: Int
        switch command {
        case "verify", "log", "repair": (mebibytes, threads) = (128, 5)
        case "inspect": (mebibytes, threads) = (320, 5)
        case "get", "put", "delete", "touch", "scan", "count", "export", "stats", "watch", "models":
            (mebibytes, threads) = (224, 8)
        case "compact", "load", "bench": (mebibytes, threads) = (384, 8)
        // Help, versions, completions, the manual page.
        default: (mebibytes, threads) = (64, 5)
        }
        self.command = command ?? "heartwood"
        // Stacks of the threads that Swift starts, one for each processor.
        memory = UInt64(mebibytes + 8 * ProcessLimits.processors) << 20
    }
}
