/// What is said about a group of rows.
struct GroupText: Sendable {
    let title: String
    let explanation: String

    init(_ group: String) {
        (title, explanation) = Self.known[group] ?? (group, "")
    }

    private static let known: [String: (String, String)] = [
        "durable": (
            "Durable writes",
            "Writers put one record after the other, and each waits until its own is on the disk. What tells engines "
                + "apart is how many writers share one sync of the device."
        ),
        "writing": (
            "Writes that don't wait for the disk",
            "Puts, batches, overwrites and removals, by what a write has survived when it returns."
        ),
        "reading": (
            "Reads",
            "Single records, ranges in both directions, and reads beside a writer. Files are in the page cache: these "
                + "are figures of the processor."
        ),
        "ycsb": (
            "YCSB",
            "The mixes of the Yahoo Cloud Serving Benchmark, with its zipfian and latest distributions of keys."
        ),
        "values": (
            "Sizes of values",
            "The same work with values of different sizes: small ones show the cost of a call, large ones that of "
                + "moving bytes."
        ),
        "json": (
            "Compressible JSON", "Documents that shrink, with compression off and on, in the engines that have it."
        ),
        "recovery": ("Recovery", "Opening a store that was killed, until the first read is answered."),
        "compaction": (
            "Under compaction",
            "Load is offered at a rate that doesn't wait for the engine, while it tidies up; each operation counts "
                + "from the moment at which it was due."
        ),
        "growth": ("Growth", "The same work in small and large stores: what one record costs as they grow."),
        "memory": ("Memory", "What the process has in memory for each key."),
        "amplification": (
            "Write and space amplification",
            "Bytes that the process gave to the system for each byte that was put, and bytes on the disk for each byte "
                + "that is live."
        ),
        "damage": (
            "One changed byte",
            "One byte of an engine's files is changed, and the store is opened and read: does it say so, does it come "
                + "back whole, or does it return something else without a word?"
        ),
        "heartwood": ("Heartwood alone", "What the other engines don't have, or what isn't compared."),
    ]
}

extension Promise {
    /// What the class means, in a sentence.
    var explanation: String {
        switch self {
        case .survivesPowerLoss:
            "A write that returned is on the disk: the engine has waited until the device said so. Neither a crash nor "
                + "a power cut takes it back."
        case .survivesProcessDeath:
            "A write that returned is in the kernel: the process may be killed at once. A power cut may take the last "
                + "seconds."
        case .mayLoseLastMoments:
            "A write that returned is in the memory of the process, and in the kernel some moments later: a crash may "
                + "take these moments."
        }
    }
}
