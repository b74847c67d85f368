internal import Heartwood

/// One thread that visits every entry in order, again and again, with its value or without.
struct Scans: Workload {
    let name: String
    let title: String
    let group = WorkloadGroup.scanning
    var mode = ReadingMode.pread
    /// How the records lie in the log.
    let order: KeySource.Order
    var keysOnly = false
    var targets: [Target] = []

    func measure(_ run: Run) async throws -> Sample {
        try await FilledStore.opened(FilledStore.path(run, order), mode) { store in
            try await onThread {
                try ScanLoop.run(run, keysOnly: keysOnly) { visit in
                    if keysOnly {
                        try Engine.forEachKey(store) { key in visit(key, key) ? .next : .stop }
                    } else {
                        try Engine.forEachRecord(store) { key, value in visit(key, value) ? .next : .stop }
                    }
                }
            }
        }
    }
}
