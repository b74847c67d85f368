/// Checks that a feed has every acknowledged write once, in order.
enum FeedCheck {
    /// What is wrong; empty if nothing is.
    ///
    /// - Parameters:
    ///   - acknowledged: The numbers of acknowledged writes, in any order.
    ///   - followed: The numbers of the batches of the feed, in its order. It may have others than those acknowledged.
    static func problems(acknowledged: [UInt64], followed: [UInt64]) -> [String] {
        var problems: [String] = []
        for (number, next) in zip(followed, followed.dropFirst()) where next <= number {
            problems.append("the feed has \(next) after \(number)")
        }
        let missing = Set(acknowledged).subtracting(followed)
        if !missing.isEmpty { problems.append("the feed lacks acknowledged writes: \(missing.sorted().prefix(20))") }
        if Set(acknowledged).count != acknowledged.count { problems.append("two writes have one number") }
        return problems
    }
}
