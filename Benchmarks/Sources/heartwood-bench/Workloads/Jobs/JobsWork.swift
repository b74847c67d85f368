/// `jobs`: workers enqueue a job, take one and acknowledge it, again and again; or so many at once.
struct JobsWork: Sendable {
    var batch = 1

    func measure(_ engine: EngineID, _ cell: Cell) async throws -> Measured {
        switch engine {
        case .heartwood: try await HeartwoodQueueing.measure(cell, batch: batch)
        case .redis: try await RedisQueueing.measure(cell, batch: batch)
        default: throw WrongResult("\(engine.rawValue) has no queue")
        }
    }

    /// What a job carries: its number, and bytes.
    static func payload(_ number: Int, bytes: Int) -> [UInt8] {
        var payload = Array(String(number).utf8) + [UInt8(ascii: " ")]
        while payload.count < bytes { payload.append(UInt8(ascii: "a") + UInt8(payload.count % 26)) }
        return payload
    }
}
