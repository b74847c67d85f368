// From Sources/HeartwoodRepository/Keys/TupleEncoder.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

func putByTuple(_ store: Store, _ value: [UInt8]) async throws {
    var encoder = TupleEncoder(prefix: [0x10])
    encoder.append("Berlin")
    encoder.append(3_769_495)
    try await store.put(encoder.bytes, value)
    encoder.appendNested { tuple in
        tuple.append("Berlin")
        tuple.append(10_115)
    }
}
