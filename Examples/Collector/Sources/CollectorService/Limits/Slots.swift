import Synchronization

/// Bounds how many of something exist at once: open streams, or bytes of bodies and answers.
final class Slots: Sendable {
    private let limit: Int
    private let used = Mutex(0)

    init(_ limit: Int) { self.limit = limit }

    /// How many are taken.
    var count: Int { used.withLock { $0 } }

    fileprivate func take(_ number: Int) -> Bool {
        used.withLock { used in
            guard number <= limit - used else { return false }
            used += number
            return true
        }
    }

    fileprivate func release(_ number: Int) { used.withLock { $0 -= number } }
}

/// Slots that are taken, and are released at the latest with this object: also those of a stream that never begins.
final class Reservation: Sendable {
    private let slots: Slots
    private let taken = Mutex(0)

    init(of slots: Slots) { self.slots = slots }

    /// Takes more. False if there aren't so many: then it has what it had.
    func take(_ number: Int) -> Bool {
        guard slots.take(number) else { return false }
        taken.withLock { $0 += number }
        return true
    }

    func release() {
        let number = taken.withLock { taken in
            defer { taken = 0 }
            return taken
        }
        slots.release(number)
    }

    deinit { release() }
}
