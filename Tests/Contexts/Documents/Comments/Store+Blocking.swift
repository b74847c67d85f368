// The example of a documentation comment in Sources/Heartwood/Store+Blocking.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood

func blockingExample(_ store: Store, _ bytes: [UInt8]) throws {
    try store.blocking.put("user:1", bytes)
}
