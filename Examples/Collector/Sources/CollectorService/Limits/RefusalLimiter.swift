import HTTPTypes

/// Limits how many requests of an address are refused for a wrong token: then the connection is closed, too, so that
/// guessing needs a new one each time.
struct RefusalLimiter: Sendable {
    /// Addresses share buckets, so that many of them take no memory. The hash differs from process to process.
    private let buckets: [TokenBucket]

    /// - Parameter rate: How many requests of an address are refused in a second.
    init(rate: Int) { buckets = (0..<1_024).map { _ in TokenBucket(rate: rate) } }

    func take(_ address: String) -> Bool {
        buckets[Int(UInt(bitPattern: address.hashValue) % UInt(buckets.count))].take()
    }

    static var problem: Problem {
        var problem = Problem(
            .tooManyRequests, "too-many-refusals", "too many requests of this address had a wrong token: wait"
        ).retry(after: 1)
        problem.headers[.connection] = "close"
        return problem
    }
}
