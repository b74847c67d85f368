internal import HeartwoodConcurrency

/// The feeds that wait at the end of the log for the next write.
struct LogFollowers {
    struct Waiter {
        /// Identifies the feed, for a cancellation.
        let id: ObjectIdentifier
        let level: ChangeLevel
        /// The feed has delivered everything up to this sequence number.
        let after: SequenceNumber
        let sleeper: Sleeper<Void>
    }

    private var waiters: [Waiter] = []

    var isEmpty: Bool { waiters.isEmpty }

    /// The lowest sequence number after which a feed waits for a visible write; nil if none does.
    var lowestVisible: SequenceNumber? { waiters.lazy.filter { $0.level == .visible }.map(\.after).min() }

    mutating func add(_ waiter: Waiter) { waiters.append(waiter) }

    /// Removes and returns a feed that doesn't wait any longer.
    mutating func remove(_ id: ObjectIdentifier) -> Sleeper<Void>? {
        waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0).sleeper }
    }

    /// Removes and returns the feeds that wait for writes up to these sequence numbers.
    mutating func takeReady(visible: SequenceNumber, durable: SequenceNumber) -> [Sleeper<Void>] {
        let isReady = { (waiter: Waiter) in waiter.after < (waiter.level == .visible ? visible : durable) }
        let ready = waiters.filter(isReady)
        if !ready.isEmpty { waiters.removeAll(where: isReady) }
        return ready.map(\.sleeper)
    }

    mutating func takeAll() -> [Sleeper<Void>] {
        defer { waiters = [] }
        return waiters.map(\.sleeper)
    }
}

extension Log.State {
    /// Removes and returns the feeds that can continue. Resume them outside the lock.
    mutating func takeReadyFollowers() -> [Sleeper<Void>] {
        if followers.isEmpty { return [] }
        let pipeline = commits.pipeline
        let ready = followers.takeReady(visible: pipeline.readable, durable: pipeline.syncedSequence)
        commits.pipeline.followedFrom = followers.lowestVisible
        return ready
    }

    /// Removes and returns a feed whose task was cancelled.
    mutating func removeFollower(_ id: ObjectIdentifier) -> Sleeper<Void>? {
        defer { commits.pipeline.followedFrom = followers.lowestVisible }
        return followers.remove(id)
    }

    /// Removes and returns all feeds, because nothing more is written. Resume them outside the lock.
    mutating func takeFollowers() -> [Sleeper<Void>] {
        commits.pipeline.followedFrom = nil
        return followers.takeAll()
    }
}
