// The examples of documentation comments in Sources/KeyValueStore/LocalReader.swift.
// swift-format-ignore-file
import KeyValueStore

func expiryExample(_ store: some LocalReader) throws -> Timestamp? {
    let end = try store.expiry(of: "session:1")?.timestamp
    return end
}

func lentExample(_ store: some LocalReader, lastSeen: SequenceNumber) throws -> Bool {
    let isNew = try store.withEntry("user:1") { value, sequence, expires in sequence > lastSeen } ?? false
    return isNew
}
