// From Sources/HeartwoodRepository/Keys/TupleValue.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

func printElements(_ bytes: [UInt8]) throws {
    var decoder = TupleDecoder(bytes)
    while !decoder.isAtEnd { print(try decoder.decode(TupleValue.self)) }
}
