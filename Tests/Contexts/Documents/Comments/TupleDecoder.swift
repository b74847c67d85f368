// From Sources/HeartwoodRepository/Keys/TupleDecoder.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

func decodeCity(_ key: [UInt8], _ prefix: [UInt8]) throws -> (String, Int) {
    var decoder = TupleDecoder(key.dropFirst(prefix.count))
    let city = try decoder.decode(String.self)
    let inhabitants = try decoder.decode(Int.self)
    try decoder.finish()
    return (city, inhabitants)
}
