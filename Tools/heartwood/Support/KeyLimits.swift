internal import HeartwoodFormat

/// What a key may be; told before the store is asked, so that a line of input can be named.
enum KeyLimits {
    /// What is wrong with a key; nil if nothing is.
    static func problem(_ key: [UInt8]) -> String? {
        if key.isEmpty { return "the key is empty: a key has at least one byte" }
        if key.count > FormatConstants.maximumKeyBytes {
            return "the key has \(Numbers.count(key.count, "byte")): "
                + "\(Numbers.grouped(FormatConstants.maximumKeyBytes)) are the most"
        }
        return nil
    }
}
