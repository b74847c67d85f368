internal import Heartwood

extension Catalogue {
    static let opening: [any Workload] =
        [
            Reopening(
                name: "reopen-closed", title: "after close() (records)", ending: .closed,
                targets: [.within(seconds: 0.35, operations: 1_000_000)]),
            Reopening(
                name: "reopen-dropped", title: "dropped without close() (records)", ending: .dropped,
                targets: [.within(seconds: 0.35, operations: 1_000_000)]),
        ] + ofPeers(.opening)

    static let reading: [any Workload] = gets(1) + gets(2) + getAll + ofPeers(.reading)

    private static let modes = ReadingMode.allCases.filter(Engine.has)

    /// In each mode, returned and lent.
    private static func gets(_ threads: Int) -> [any Workload] {
        modes.flatMap { mode in
            [(Gets.Form.returned, "returned"), (.lent, "lent")].map { form, word in
                let name = "get-\(mode.rawValue)-\(word)"
                return Gets(
                    name: threads == 1 ? name : "\(name)-\(threads)",
                    title: "\(mode.rawValue), value \(word), \(threads == 1 ? "one thread" : "\(threads) threads")",
                    mode: mode, form: form, threads: threads,
                    targets: threads == 1 ? targets(mode, form) : [.times(1.5, of: [name])])
            }
        }
    }

    private static func targets(_ mode: ReadingMode, _ form: Gets.Form) -> [Target] {
        switch (mode, form) {
        case (.pread, _): [.times(1.7, of: ["get-leveldb"])]
        case (.mapped, .lent): [.times(1.5, of: ["get-lmdb"])]
        case (.mapped, _): [.times(1, of: ["get-lmdb"])]
        }
    }

    private static let getAll: [any Workload] =
        (Engine.hasGetAll ? modes : []).map { mode in
            Gets(
                name: "get-\(mode.rawValue)-together", title: "\(mode.rawValue), 16 keys a call, one thread",
                mode: mode,
                form: .together(16))
        }

    static let beside: [any Workload] =
        [
            BufferedPuts(
                name: "writer-alone", title: ".buffered puts that overwrite, one task, alone", group: .beside, tasks: 1,
                overwrites: true)
        ]
        + modes.map { mode in
            GetsWhileWriting(
                name: "reader-\(mode.rawValue)-and-writer",
                title: "get (\(mode.rawValue), lent), beside one task that puts", mode: mode,
                targets: [
                    .times(0.5, of: ["get-\(mode.rawValue)-lent"]), .besideTimes(0.5, of: "writer-alone"),
                ])
        }

    static let scanning: [any Workload] =
        modes.map { mode in
            Scans(
                name: "scan-ordered-\(mode.rawValue)", title: "records in order in the log (\(mode.rawValue))",
                mode: mode,
                order: .ascending, targets: [.times(1, of: ["scan-lmdb"])])
        }
        + modes.map { mode in
            Scans(
                name: "scan-scattered-\(mode.rawValue)", title: "records in random order in the log (\(mode.rawValue))",
                mode: mode, order: .random)
        }
        + [
            Scans(
                name: "scan-keys", title: "keys alone", order: .random, keysOnly: true,
                targets: [.perSecond(50_000_000)])
        ] + ofPeers(.scanning)
}
