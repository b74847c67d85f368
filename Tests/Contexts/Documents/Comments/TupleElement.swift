// From Sources/HeartwoodRepository/Keys/TupleElement.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

enum ElementExamples {
    enum Status: String, TupleElement { case open, closed }
    struct Version: TupleElement {
        var major, minor: Int

        func encode(to encoder: inout TupleEncoder) {
            encoder.appendNested { tuple in
                tuple.append(major)
                tuple.append(minor)
            }
        }

        init(from decoder: inout TupleDecoder) throws(StoreError) {
            (major, minor) = try decoder.decodeNested { tuple throws(StoreError) in
                (try tuple.decode(Int.self), try tuple.decode(Int.self))
            }
        }
    }
}
