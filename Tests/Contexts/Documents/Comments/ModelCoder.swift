// From Sources/HeartwoodRepository/Coding/ModelCoder.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

private func compressed(_ bytes: [UInt8]) -> [UInt8] { bytes }
private func decompressed(_ bytes: RawSpan) -> [UInt8] { bytes.withUnsafeBytes { [UInt8]($0) } }

struct CompressedJSON: ModelCoder {
    let name = "json+lz"
    func encode(_ value: some Encodable) throws -> [UInt8] { compressed(try JSONCoder().encode(value)) }
    func decode<T: Decodable>(_ type: T.Type, from bytes: RawSpan) throws -> T {
        try JSONCoder().decode(type, from: decompressed(bytes).span.bytes)
    }
}
