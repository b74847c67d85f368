// Blocks of Reading.md, Compaction.md and Concurrency.md, with their spacing. Tools/contexts compiles them.
// swift-format-ignore-file
import Heartwood

let store = try await Store.open(at: "app.store")

let values = try store.get(all: ["user:1", "user:2"])       // [[UInt8]?], of one state, read in the order of the files
let length = try store.withValue("user:1") { $0.byteCount } // lent as a RawSpan, no array made
try store.forEachRecord(in: .prefix("user:")) { key, value in
    print(key.byteCount, value.byteCount)                   // lent as well, for a range
    return .next
}
try store.forEachKey { key in                               // keys alone are in memory: no I/O
    print(key.byteCount)
    return .next
}

var configuration = Store.Configuration()
configuration.valueReading = .mapped                        // faster; but a failing disk ends the process (SIGBUS)

let report = try await store.compact { progress in print(progress.phase, progress.keys, progress.totalKeys) }
print(report.snapshot?.bytes ?? 0, report.removedFiles, report.duration)

func save(_ note: String, in store: Store) throws(StoreError) {
    try store.blocking.put("note", note)
}
