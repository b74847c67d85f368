/// Bytes as a key of a dictionary or a set. An array hashes its bytes one by one, which takes ten times as long.
package struct HashedBytes: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension [HashedBytes: Int] {
    /// The position of a key, or `new`, which it then has. One look-up: each one hashes the key.
    package mutating func position(of key: [UInt8], elseNew new: Int) -> Int {
        // Taking it as `inout` makes the dictionary keep a default value.
        func itself(_ position: inout Int) -> Int { position }
        return itself(&self[HashedBytes(key), default: new])
    }
}
