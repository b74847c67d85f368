import HeartwoodFormat
import Testing

@Suite struct StoreFileNameTests {
    @Test(
        arguments: [
            ("0000000000000001.log", .log(firstSequence: 1)),
            ("00000000000412a7.log", .log(firstSequence: 0x412A7)),
            ("ffffffffffffffff.log", .log(firstSequence: .max)),
            ("00000000000412a6.snapshot", .snapshot(sequence: 0x412A6)),
            ("LOCK", .lock),
            ("KEEP-LOG", .keepLog),
            ("spare.log.tmp", .temporary),
            ("0000000000000001.log.tmp", .temporary),
            (".tmp", .temporary),
            ("", .other),
            ("lock", .other),
            (".log", .other),
            ("1.log", .other),
            ("000000000000001.log", .other),
            ("00000000000000001.log", .other),
            ("000000000000000A.log", .other),
            ("000000000000000g.log", .other),
            ("+000000000000001.log", .other),
            ("-000000000000001.log", .other),
            ("00000000000000é.log", .other),
            ("0000000000000001.LOG", .other),
            ("0000000000000001.log ", .other),
            ("0000000000000001", .other),
            ("0000000000000001.snapshot.log", .other),
        ] as [(String, StoreFileName)])
    func namesHaveMeanings(name: String, meaning: StoreFileName) {
        #expect(StoreFileName(name) == meaning)
    }

    @Test func namesSortLikeNumbers() {
        let numbers: [UInt64] = [1, 9, 10, 255, 256, 1 << 32, (1 << 32) + 1, .max]
        let names = numbers.map { StoreFileName.log($0) }
        #expect(names.sorted() == names)
    }

    /// Strings that are equal as text may differ in bytes, and a combining mark joins the full stop.
    @Test func namesAreComparedAsBytes() {
        #expect(StoreFileName("LOC\u{212A}") == .other)
        #expect(StoreFileName("spare\u{600}.tmp") == .temporary)
        #expect(StoreFileName("0000000000000001\u{301}.log") == .other)
        #expect(StoreFileName("000000000000001\u{301}.log") == .other)
    }

    @Test func reserveIsTemporary() {
        #expect(StoreFileName.isReserve("reserve-removals.tmp"))
        #expect(
            ["reserve-removals", "spare.log.tmp", "reserve.tmp", "LOCK"].allSatisfy { !StoreFileName.isReserve($0) })
    }
}
