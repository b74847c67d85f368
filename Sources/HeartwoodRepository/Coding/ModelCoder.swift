public import Foundation

/// Turns models into bytes and back. JSON and property lists are built in; another format takes one small type.
///
/// ```swift
/// struct CompressedJSON: ModelCoder {
///     let name = "json+lz"
///     func encode(_ value: some Encodable) throws -> [UInt8] { compressed(try JSONCoder().encode(value)) }
///     func decode<T: Decodable>(_ type: T.Type, from bytes: RawSpan) throws -> T {
///         try JSONCoder().decode(type, from: decompressed(bytes).span.bytes)
///     }
/// }
/// ```
public protocol ModelCoder: Sendable {
    /// Names the format in the store, so that another one is refused. Constant.
    var name: String { get }

    /// Encodes a value.
    func encode(_ value: some Encodable) throws -> [UInt8]

    /// Decodes a value from bytes that are valid only during the call.
    func decode<T: Decodable>(_ type: T.Type, from bytes: RawSpan) throws -> T
}

/// JSON, as `JSONEncoder` and `JSONDecoder` write and read it.
public struct JSONCoder: ModelCoder {
    /// "json".
    public let name = "json"
    private let encoder: JSONEncoder
    private let decoder: JSONDecoder

    /// Creates a coder. Don't change the encoder and the decoder afterwards.
    ///
    /// - Parameters:
    ///   - encoder: For example one with another strategy for dates, which the decoder must have, too.
    ///   - decoder: Reads what the encoder writes.
    public init(encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder()) {
        (self.encoder, self.decoder) = (encoder, decoder)
    }

    /// Whether the same date is decoded that was encoded. No other strategy promises that: seconds since 1970 lose the
    /// last bit of most dates.
    var keepsDates: Bool {
        if case .deferredToDate = encoder.dateEncodingStrategy, case .deferredToDate = decoder.dateDecodingStrategy {
            return true
        }
        return false
    }

    /// Encodes a value as JSON.
    ///
    /// - Throws: What the encoder throws; `EncodingError` for a number that JSON doesn't have.
    public func encode(_ value: some Encodable) throws -> [UInt8] {
        let bytes = [UInt8](try encoder.encode(value))
        // The encoder writes a `Decimal` that isn't a number as NaN, which no decoder reads.
        if bytes.span.bytes.hasNaN,
            (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) == nil
        {
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: [], debugDescription: "JSON has no NaN: a Decimal is one"))
        }
        return bytes
    }

    /// Decodes JSON, without copying the bytes.
    ///
    /// - Throws: `DecodingError`.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: RawSpan) throws -> T {
        try bytes.withUnsafeBytes { try decoder.decode(type, from: Data(lending: $0)) }
    }
}

/// Binary property lists: faster to read than JSON, and not readable as text.
public struct PropertyListCoder: ModelCoder {
    /// "plist".
    public let name = "plist"

    /// Creates a coder.
    public init() {}

    /// Encodes a value as a binary property list. It must be a structure, an array or a dictionary.
    ///
    /// - Throws: What `PropertyListEncoder` throws.
    public func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return [UInt8](try encoder.encode(value))
    }

    /// Decodes a property list, without copying the bytes.
    ///
    /// - Throws: `DecodingError`.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: RawSpan) throws -> T {
        try bytes.withUnsafeBytes { try PropertyListDecoder().decode(type, from: Data(lending: $0)) }
    }
}

extension ModelCoder where Self == JSONCoder {
    /// JSON with the defaults of `JSONEncoder`.
    public static var json: JSONCoder { JSONCoder() }
}

extension ModelCoder where Self == PropertyListCoder {
    /// Binary property lists.
    public static var propertyList: PropertyListCoder { PropertyListCoder() }
}

extension RawSpan {
    /// Whether "NaN" is somewhere in it. O(bytes).
    fileprivate var hasNaN: Bool {
        withUnsafeBytes { bytes in
            var rest = bytes
            while let start = rest.baseAddress, let found = memchr(start, 0x4E, rest.count) {
                rest = UnsafeRawBufferPointer(rebasing: rest[(UnsafeRawPointer(found) - start)...])
                if rest.starts(with: [0x4E, 0x61, 0x4E]) { return true }
                rest = UnsafeRawBufferPointer(rebasing: rest[1...])
            }
            return false
        }
    }
}

extension Data {
    /// Uses the bytes where they are. Valid only as long as they are.
    fileprivate init(lending bytes: UnsafeRawBufferPointer) {
        guard let address = bytes.baseAddress, !bytes.isEmpty else {
            self.init()
            return
        }
        // The decoders only read.
        self.init(bytesNoCopy: UnsafeMutableRawPointer(mutating: address), count: bytes.count, deallocator: .none)
    }
}
