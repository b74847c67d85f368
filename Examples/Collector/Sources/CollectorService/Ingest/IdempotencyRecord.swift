import Crypto

/// What is stored for an idempotency key, in the commit of the events: enough to answer the same request again.
///
///     1      version: 1
///     32     SHA-256 of the body
///     4      epoch of the ids, big-endian
///     6      number of the first id; the others follow it
///     4      number of events
///     6 n    their times; once if all are equal
struct IdempotencyRecord: Equatable {
    var digest: [UInt8]
    var epoch: UInt32
    var firstNumber: UInt64
    var times: [UInt64]

    init(digest: [UInt8], epoch: UInt32, firstNumber: UInt64, times: [UInt64]) {
        (self.digest, self.epoch, self.firstNumber, self.times) = (digest, epoch, firstNumber, times)
    }

    static func digest(of body: UnsafeRawBufferPointer) -> [UInt8] { Array(SHA256.hash(data: body)) }

    var ids: [EventID] {
        times.enumerated().map { EventID(time: $1, epoch: epoch, number: firstNumber + UInt64($0)) }
    }

    var bytes: [UInt8] {
        let isUniform = times.dropFirst().allSatisfy { $0 == times[0] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(47 + 6 * (isUniform ? 1 : times.count))
        bytes.append(1)
        bytes.append(contentsOf: digest)
        func append(_ value: UInt64, _ count: Int) {
            for shift in stride(from: 8 * (count - 1), through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
            }
        }
        append(UInt64(epoch), 4)
        append(firstNumber, 6)
        append(UInt64(times.count), 4)
        for time in isUniform ? Array(times.prefix(1)) : times { append(time, 6) }
        return bytes
    }

    /// Nil for bytes that aren't a record.
    init?(_ bytes: [UInt8]) {
        func integer(_ offset: Int, _ count: Int) -> UInt64 {
            bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | UInt64($1) }
        }
        guard bytes.count >= 53, bytes[0] == 1 else { return nil }
        let count = Int(integer(43, 4))
        let stored = (bytes.count - 47) / 6
        guard 1...Settings.mostEvents ~= count, (bytes.count - 47) % 6 == 0, stored == count || stored == 1
        else { return nil }
        digest = Array(bytes[1..<33])
        epoch = UInt32(integer(33, 4))
        firstNumber = integer(37, 6)
        times = (0..<count).map { integer(47 + 6 * (stored == 1 ? 0 : $0), 6) }
    }
}
