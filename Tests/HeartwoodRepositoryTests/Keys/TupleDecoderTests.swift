import Foundation
import HeartwoodCampaignSupport
import HeartwoodRepository
import HeartwoodTesting
import KeyValueStore
import Testing

/// Keys are read back, and no bytes do more than throw an error.
@Suite struct TupleDecoderTests {
    /// Reads all elements in every way, and ends at the first error.
    private func read(_ bytes: [UInt8]) throws(StoreError) -> [TupleValue] {
        var values: [TupleValue] = []
        var (decoder, skipper) = (TupleDecoder(bytes), TupleDecoder(bytes))
        var skipped: [UInt8] = []
        while !decoder.isAtEnd {
            values.append(try decoder.decode())
            skipped += try skipper.skip()
        }
        #expect(skipped == bytes)
        return values
    }

    @Test func randomTuplesAreReadBack() throws {
        let seed = testSeed("TupleDecoderTests.randomTuplesAreReadBack")
        var tuples = RandomTuples(seed: seed)
        for _ in 0..<2_000 {
            let value = tuples.element()
            let bytes = encoded(value)
            let read = try decoded(TupleValue.self, bytes)
            // NaN isn't equal to itself, but its bytes are.
            #expect(encoded(read) == bytes, "seed \(seed)")
            #expect(read == value || "\(value)".contains("nan"), "seed \(seed)")
        }
    }

    @Test func damagedBytesEndInAnError() throws {
        let seed = testSeed("TupleDecoderTests.damagedBytesEndInAnError")
        var tuples = RandomTuples(seed: seed)
        for _ in 0..<300 {
            let bytes = encoded(tuples.element(), tuples.element())
            for count in 0..<bytes.count { _ = try? read(Array(bytes[..<count])) }
            for index in bytes.indices {
                for mask: UInt8 in [0x01, 0x02, 0x04, 0x10, 0x80, 0xFF, bytes[index]] {
                    var damaged = bytes
                    damaged[index] ^= mask
                    do throws(StoreError) {
                        _ = try read(damaged)
                    } catch {
                        #expect(error.code == .corruption, "seed \(seed)")
                    }
                }
            }
        }
    }

    @Test func everyTypeRefusesEveryOtherAndEveryPrefix() throws {
        let seed = testSeed("TupleDecoderTests.everyTypeRefusesEveryOtherAndEveryPrefix")
        var tuples = RandomTuples(seed: seed)
        func attempt<Element: TupleElement>(_ type: Element.Type, _ bytes: [UInt8]) {
            var decoder = TupleDecoder(bytes)
            do throws(StoreError) {
                _ = try decoder.decode(type)
            } catch {
                #expect(error.code == .corruption, "seed \(seed)")
                // A call that throws reads nothing.
                #expect(
                    (try? decoder.skip())
                        == (try? {
                            var start = TupleDecoder(bytes); return try start.skip()
                        }()))
            }
        }
        for _ in 0..<500 {
            let bytes = encoded(tuples.element())
            for end in 0...bytes.count {
                let part = Array(bytes[..<end])
                attempt(Bool.self, part)
                attempt(Int.self, part)
                attempt(UInt8.self, part)
                attempt(UInt64.self, part)
                attempt(Float.self, part)
                attempt(Double.self, part)
                attempt(String.self, part)
                attempt(Data.self, part)
                attempt(UUID.self, part)
                attempt(Int?.self, part)
                attempt(KeyTuple<Int, String?>.self, part)
            }
        }
    }

    @Test(arguments: [
        [], [0x03], [0x0B, 0xF7], [0x15], [0x1C, 1, 2, 3], [0x1D], [0x1D, 9], [0x1D, 8, 1], [0x1E], [0x22], [0x25],
        [0x33],
        [0x40], [0xFF], [0x02], [0x02, 0x61], [0x02, 0x61, 0x00, 0xFF], [0x01, 0x00, 0xFF], [0x05], [0x05, 0x00, 0xFF],
        [0x05, 0x05, 0x00], [0x20, 1, 2, 3], [0x21, 1, 2, 3, 4, 5, 6, 7], [0x30, 1], [0x05, 0x15], [0x05, 0x02, 0x61],
    ])
    func incompleteAndUnknownElementsAreRefused(bytes: [UInt8]) {
        var (decoder, skipper) = (TupleDecoder(bytes), TupleDecoder(bytes))
        #expect(throws: StoreError.self) { try decoder.decode(TupleValue.self) }
        #expect(throws: StoreError.self) { try skipper.skip() }
    }

    @Test(arguments: [
        [0x15, 0x00], [0x16, 0x00, 0x01], [0x13, 0xFF], [0x12, 0xFF, 0x00], [0x0C, 0x7F, 0, 0, 0, 0, 0, 0, 0],
        [0x02, 0xC3, 0x00], [0x02, 0xFF, 0x00],
    ])
    func contentThatIsNotValidIsRefused(bytes: [UInt8]) {
        #expect(throws: StoreError.self) { try decoded(TupleValue.self, bytes) }
    }

    @Test func pythonsFormOfTheLargestIntegerIsRead() throws {
        let bytes: [UInt8] = [0x1D, 8] + [UInt8](repeating: 0xFF, count: 8)
        #expect(try read(bytes) == [.uint(.max)])
        #expect(throws: StoreError.self) { try decoded(Int.self, bytes) }
    }

    @Test func otherZerosAndNaNsAreRead() throws {
        let zero = try decoded(Double.self, [0x21, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(zero == 0 && zero.sign == .minus)
        #expect(try decoded(Double.self, [0x21, 0, 0, 0, 0, 0, 0, 0, 0]).isNaN)
        #expect(try decoded(Float.self, [0x20, 0, 0, 0, 0]).isNaN)
    }

    @Test func integersOutsideTheTypeAreRefused() throws {
        #expect(throws: StoreError.self) { try decoded(UInt8.self, encoded(256)) }
        #expect(throws: StoreError.self) { try decoded(UInt64.self, encoded(-1)) }
        #expect(throws: StoreError.self) { try decoded(Int64.self, encoded(UInt64.max)) }
        #expect(throws: StoreError.self) { try decoded(Int8.self, encoded(-129)) }
    }

    @Test func tuplesInEachOtherHaveALimit() throws {
        func nested(_ depth: Int) -> [UInt8] {
            [UInt8](repeating: 0x05, count: depth) + [UInt8](repeating: 0x00, count: depth)
        }
        _ = try decoded(TupleValue.self, nested(128))
        #expect(throws: StoreError.self) { try decoded(TupleValue.self, nested(129)) }
        #expect(throws: StoreError.self) { try decoded(TupleValue.self, nested(60_000)) }
        var skipper = TupleDecoder(nested(60_000))
        #expect(try skipper.skip().count == 120_000)
        #expect(skipper.isAtEnd)
    }

    @Test func elementsAreSkippedInASliceAndInATuple() throws {
        let bytes = [0xAA, 0xBB] + encoded(KeyTuple("a\0", Int?.none, 5), 7)
        var decoder = TupleDecoder(bytes.dropFirst(2))
        try decoder.decodeNested { tuple throws(StoreError) in
            #expect(try Array(tuple.skip()) == encoded("a\0"))
            #expect(try Array(tuple.skip()) == [0x00, 0xFF])
            #expect(try Array(tuple.skip()) == encoded(5))
            #expect(tuple.isAtEnd)
            #expect(throws: StoreError.self) { try tuple.skip() }
        }
        #expect(throws: StoreError.self) { try decoder.finish() }
        #expect(try decoder.decode(Int.self) == 7)
        try decoder.finish()
        #expect(throws: StoreError.self) { try decoder.decodeInt64() }
        let isNil = decoder.decodeNil()
        #expect(!isNil)
    }

    @Test func allElementsOfATupleMustBeRead() throws {
        var decoder = TupleDecoder(encoded(KeyTuple(1, 2)))
        #expect(throws: StoreError.self) {
            try decoder.decodeNested { tuple throws(StoreError) in try tuple.decode(Int.self) }
        }
        #expect(try decoder.decode(KeyTuple<Int, Int>.self) == KeyTuple(1, 2))
    }
}
