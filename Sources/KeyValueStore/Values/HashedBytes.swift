/// Bytes as a key of a dictionary or a set. An array hashes its bytes one by one, which takes ten times as long.
package struct HashedBytes: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
