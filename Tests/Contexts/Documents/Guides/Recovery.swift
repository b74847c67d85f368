// A block of Recovery.md, with the spacing that it has there. Tools/contexts compiles it.
// swift-format-ignore-file
import Heartwood

func openAndReport() async throws {
    let store = try await Store.open(at: "app.store")
    switch store.recoveryReport.tail {
    case .new: print("a new store")
    case .closed, .unclosed: print("nothing is missing")
    case .torn(let file, let offset, let bytes):    // ordinary after a crash
        print("skipped \(bytes) bytes that were never durable, \(file) at \(offset)")
    }
    for file in store.recoveryReport.skippedFiles { print("damaged, and not needed: \(file)") }
}
