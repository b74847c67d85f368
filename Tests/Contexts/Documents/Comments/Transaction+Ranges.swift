// The example of a documentation comment in Sources/Heartwood/Writing/Transaction+Ranges.swift.
// swift-format-ignore-file
import Heartwood

func next(_ transaction: Transaction) throws -> Entry? {
    let next = try transaction.entries(in: .prefix("todo:"), limit: 1).entries.first
    return next
}
