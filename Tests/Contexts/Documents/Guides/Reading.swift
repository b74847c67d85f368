// A block of Reading.md, with the spacing that it has there. Tools/contexts compiles it.
// swift-format-ignore-file
import Heartwood

func printOrders(of store: Store) async throws {
    let view = try store.readView()
    let total = try view.count(in: .prefix("order:"))
    for try await (key, value) in view.scan(.prefix("order:")) {        // exactly these, whatever is written meanwhile
        print(String(decoding: key, as: UTF8.self), value.count, "of", total)
    }
}
