internal import Heartwood

extension Catalogue {
    /// With ten times the keys: 10 million where a million was asked for.
    static let large: [any Workload] = largeWriting + largeGets + largeOpening + ofPeers(.large)

    private static let third = 1.0 / 3

    private static let largeWriting: [any Workload] = [
        BufferedPuts(
            name: "large-buffered-1", title: ".buffered puts that overwrite, one task", group: .large, tasks: 1,
            overwrites: true, scale: 10, targets: [.times(third, of: ["buffered-1"])]),
        Insertions(
            name: "large-insert-1", title: ".buffered puts of new keys only, one task", group: .large, scale: 10,
            targets: [.times(third, of: ["insert-1"])]),
    ]

    private static let largeGets: [any Workload] = ReadingMode.allCases.filter(Engine.has).flatMap { mode in
        [(Gets.Form.returned, "returned"), (.lent, "lent")].map { form, word in
            let name = "get-\(mode.rawValue)-\(word)"
            var targets: [Target] = [.times(third, of: [name])]
            if mode == .mapped, case .lent = form { targets.append(.times(1, of: ["large-get-lmdb"])) }
            return Gets(
                name: "large-\(name)", title: "get, \(mode.rawValue), value \(word), one thread", group: .large,
                mode: mode, form: form, scale: 10, targets: targets)
        }
    }

    private static let largeOpening: [any Workload] = [
        Reopening(
            name: "large-reopen-closed", title: "opening after close() (records)", group: .large, ending: .closed,
            scale: 10, targets: [.within(seconds: 4, operations: 10_000_000)]),
        Reopening(
            name: "large-reopen-dropped", title: "opening, dropped without close() (records)", group: .large,
            ending: .dropped, scale: 10, targets: [.within(seconds: 4, operations: 10_000_000)]),
    ]

    static let memory: [any Workload] = [1, 10].flatMap { scale in
        [8, 16, 32, 100].map { keyBytes in
            IndexMemory(
                name: "memory-\(keyBytes)\(scale == 1 ? "" : "-large")",
                title: "\(keyBytes)-byte keys\(scale == 1 ? "" : ", ten times as many") (puts)", keyBytes: keyBytes,
                scale: scale, targets: keyBytes == Dataset.keyBytes ? [.insertedBytes(24), .loadedBytes(14)] : [])
        }
    }
}
