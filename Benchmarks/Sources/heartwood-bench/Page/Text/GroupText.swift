/// The title of a group of rows. `page.html` has the same titles, with an explanation of each group.
struct GroupText: Sendable {
    let title: String

    init(_ group: String) { title = Self.titles[group] ?? group }

    static let titles = [
        "durable": "Durable writes",
        "writing": "Writes that don't wait for the disk",
        "reading": "Reads",
        "ycsb": "YCSB",
        "values": "Sizes of values",
        "json": "Compressible JSON",
        "recovery": "Recovery",
        "compaction": "Under compaction",
        "growth": "Growth",
        "memory": "Memory",
        "amplification": "Write and space amplification",
        "damage": "One changed byte",
        "typed": "Typed records",
        "heartwood": "Heartwood alone",
    ]
}
