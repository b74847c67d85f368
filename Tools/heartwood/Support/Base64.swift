internal import Foundation

/// Bytes as text, for keys and values that are not UTF-8.
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// The bytes of a text in base64 with padding; nil if it is invalid.
    static func decode(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map { [UInt8]($0) } }
}
