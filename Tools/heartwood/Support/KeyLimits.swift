internal import HeartwoodFormat

/// The limits of keys. They are checked before the store does, so that a message can name the line of input.
enum KeyLimits {
    /// What is wrong with a key; nil if it is valid.
    static func problem(_ key: [UInt8]) -> String? {
        if key.isEmpty { return "the key is empty: a key has at least one byte" }
        if key.count > FormatConstants.maximumKeyBytes {
            return "the key has \(Numbers.count(key.count, "byte")): "
                + "\(Numbers.grouped(FormatConstants.maximumKeyBytes)) are the most"
        }
        return nil
    }
}
