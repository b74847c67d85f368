import KeyValueStore
import Testing

@testable import HeartwoodRepository

/// The state of an observation, in every order of up to six events.
@Suite struct WatcherTests {
    private static let store = StoreID(low: 1, high: 2)

    private enum Event: CaseIterable {
        /// A change that touches, with the next number.
        case touch
        /// A change that is left out where the watcher isn't sensitive.
        case compare
        /// The next number, which touches nothing.
        case other
        case force
        case begin
        /// A view that shows everything until now, or only until the change before.
        case finish, finishEarlier
    }

    /// What must hold is said with all that happened, instead of with what the watcher keeps.
    private struct History {
        let watcher = Watcher(.everything)
        var latest: SequenceNumber = 0
        var touches: [SequenceNumber] = []
        var seen: SequenceNumber = 0
        var isForced = true
        var isForcedWhileReading = false
        var isReading = false

        private func position(_ sequence: SequenceNumber) -> ChangePosition {
            ChangePosition(store: WatcherTests.store, sequence: sequence)
        }

        mutating func happen(_ event: Event) {
            switch event {
            case .touch, .compare:
                latest += 1
                touches.append(latest)
                if event == .touch || watcher.isSensitive { watcher.touch(position(latest)) }
            case .other: latest += 1
            case .force:
                watcher.force()
                isForced = true
            case .begin:
                guard !isReading else { return }
                watcher.begin(after: position(latest))
                (isReading, isForced) = (true, false)
            case .finish, .finishEarlier:
                guard isReading else { return }
                isReading = false
                let view = event == .finish ? latest : max(seen, latest - min(latest, 1))
                _ = watcher.finish(seeing: position(view))
                // What is read while everything may have changed doesn't count.
                if !isForced { seen = view }
            }
        }

        /// It must read if something has touched it that it hasn't seen.
        var mustRead: Bool { isForced || touches.contains { $0 > seen } }
    }

    @Test func isDueUntilItHasSeenEverything() async throws {
        var histories: [[Event]] = [[]]
        for _ in 0..<6 {
            histories = histories.flatMap { history in Event.allCases.map { history + [$0] } }
            for events in histories {
                var history = History()
                for event in events { history.happen(event) }
                // Before it begins, and while it reads, a touch may still be noted that this reading shows.
                if history.mustRead && !history.isReading {
                    try #require(history.watcher.isDue, "\(events)")
                }
            }
        }
    }

    @Test func anUntouchedOneWaits() {
        let watcher = Watcher(.everything)
        #expect(watcher.isDue)
        watcher.begin(after: nil)
        #expect(watcher.finish(seeing: ChangePosition(store: Self.store, sequence: 7)))
        #expect(!watcher.isDue)
        watcher.touch(ChangePosition(store: Self.store, sequence: 7))
        #expect(!watcher.isDue)
        watcher.touch(ChangePosition(store: Self.store, sequence: 8))
        #expect(watcher.isDue)
    }
}
