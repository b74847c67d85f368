internal import Heartwood

/// The index alone.
enum IndexOperations {
    static var all: [Operation] {
        [
            Operation(
                name: "index-insert", summary: "a new key into an index of 50,000", times: 4_000, prepare: insert),
            Operation(name: "index-find", summary: "a key of an index of 50,000", times: 4_000, prepare: find),
        ]
    }

    private static let recordBytes = 152

    private static func add(_ key: [UInt8], _ number: UInt64, to index: VersionedIndex) {
        let address = number * UInt64(recordBytes / 8)
        key.withUnsafeBytes { key in
            index.apply(
                sequence: number, addresses: address...address + UInt64(recordBytes / 8 - 1), count: 1, publish: true
            ) { writer in
                writer.add(key: key, version: Version(location: RecordLocation(address: address, length: recordBytes)))
            }
        }
    }

    private static func filled(_ keys: [[UInt8]]) -> VersionedIndex {
        let index = VersionedIndex()
        for (position, key) in keys.enumerated() { add(key, UInt64(position + 1), to: index) }
        return index
    }

    private static func insert(_ preparation: Preparation) -> Operation.Work {
        let index = filled(CountedData.keys())
        let keys = CountedData.otherKeys(preparation.total)
        let walk = Walk(keys.count)
        var number = UInt64(CountedData.filled)
        return { times in
            walk.next(times) { position in
                number += 1
                add(keys[position], number, to: index)
            }
            try WrongOutcome.unless(UInt64(index.statistics.keys), is: number, "keys of the index")
        }
    }

    private static func find(_ preparation: Preparation) -> Operation.Work {
        let keys = CountedData.keys()
        let index = filled(keys)
        let walk = Walk(keys.count)
        return { times in
            var found = 0
            walk.next(times) { position in
                if keys[position].withUnsafeBytes({ index.find($0, at: nil) }) != nil { found += 1 }
            }
            try WrongOutcome.unless(found, is: times, "keys that were found")
        }
    }
}
