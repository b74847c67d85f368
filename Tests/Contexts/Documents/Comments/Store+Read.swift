// The example of a documentation comment in Sources/Heartwood/Store+Read.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood

func expiryExample(_ store: Store) throws -> Timestamp? {
    let end = try store.expiry(of: "session:1")?.timestamp
    return end
}
