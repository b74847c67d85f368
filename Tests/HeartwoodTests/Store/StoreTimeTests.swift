import HeartwoodCampaignSupport
import HeartwoodConcurrency
import HeartwoodTesting
import Logging
import Testing

@testable import Heartwood

/// What a store makes of a clock that is wrong, or set.
@Suite struct StoreTimeTests {
    private static let start: UInt64 = 1_700_000_000_000
    private static let hour: UInt64 = 3_600_000
    private static let year: UInt64 = 365 * 24 * hour

    private let clock = ManualClock(milliseconds: start)
    private let disk = SimulatedDisk()

    private func open(_ logger: Logger? = nil) async throws -> Store {
        var configuration = Store.Configuration()
        (configuration.clock, configuration.fileSystem, configuration.logger) = (clock, disk, logger)
        return try await Store.open(at: "/store", configuration: configuration)
    }

    private func reopen(_ store: Store) async throws -> Store {
        try await store.close()
        return try await open()
    }

    /// One commit while the clock is a year ahead.
    private func writeAYearAhead(_ store: Store) async throws {
        clock.jump(by: Int64(Self.year))
        try await store.put("ahead", "")
        clock.jump(by: -Int64(Self.year))
    }

    private func time(_ milliseconds: UInt64) -> Timestamp { Timestamp(milliseconds: Self.start + milliseconds) }

    @Test func durationsPassAfterAClockWasAhead() async throws {
        var store = try await open()
        try await store.put("before", "", expires: .after(.seconds(3_600)))
        try await writeAYearAhead(store)
        #expect(store.now == time(Self.year))
        #expect(store.statistics.timeAhead == .milliseconds(Int64(Self.year)))
        #expect(try store.get("before") == nil)
        for round in 0..<4 {
            // In the same opening, after a new one, after a compaction, and after both.
            if round == 1 || round == 3 { store = try await reopen(store) }
            if round >= 2 { try await store.compact() }
            let now = store.now
            #expect(now == time(Self.year + UInt64(round) * Self.hour))
            try await store.put("key", "", expires: .after(.seconds(3_600)))
            #expect(try store.expiry(of: "key") == .at(now + .seconds(3_600)))
            clock.advance(by: Self.hour - 1)
            #expect(try store.contains("key"))
            clock.advance(by: 1)
            #expect(try !store.contains("key"))
            try await store.put("key", "", if: .absent)
        }
        clock.jump(by: Int64(Self.year))
        #expect(store.now == time(Self.year + 4 * Self.hour) && store.statistics.timeAhead == .zero)
        try await store.close()
    }

    @Test func timePassesByTheMonotonicClockFromTheLastReading() async throws {
        let store = try await open()
        clock.advance(by: Self.hour)
        #expect(store.now == time(Self.hour))
        // While nothing reads the time, an hour passes, and the clock is set back to before the last reading.
        clock.advance(by: Self.hour)
        clock.jump(by: -Int64(3 * Self.hour))
        #expect(store.now == time(2 * Self.hour))
        // The same, to a time after the last reading.
        clock.advance(by: 2 * Self.hour)
        clock.jump(by: -Int64(Self.hour))
        #expect(store.now == time(4 * Self.hour))
        #expect(store.statistics.timeAhead == .milliseconds(Int64(4 * Self.hour)))
        try await store.close()
    }

    @Test func aClockThatIsSetForwardIsFollowed() async throws {
        // A machine without a clock of its own starts in 1970, and asks for the time later.
        var store = try await open()
        try await store.put("a", "")
        store = try await reopen(store)
        clock.jump(by: -Int64(Self.start))
        #expect(store.now == time(0))
        clock.advance(by: Self.hour)
        #expect(store.now == time(Self.hour))
        clock.jump(by: Int64(Self.start + 5 * Self.hour))
        #expect(store.now == time(6 * Self.hour) && store.statistics.timeAhead == .zero)
        try await store.close()
    }

    @Test func smallCorrectionsLeaveNoLead() async throws {
        let store = try await open()
        clock.jump(by: -1_000)
        #expect(store.now == time(0))
        clock.advance(by: 600)
        #expect(store.now == time(0))
        clock.advance(by: 600)
        #expect(store.now == time(200) && store.statistics.timeAhead == .zero)
        clock.jump(by: -1_001)
        #expect(store.now == time(200))
        clock.advance(by: 600)
        #expect(store.now == time(800) && store.statistics.timeAhead == .milliseconds(1_001))
        try await store.close()
    }

    /// Set back before the next commit, so that no commit has the time at which it was seen expired.
    @Test(arguments: [false, true]) func whatWasSeenExpiredStaysExpired(compacts: Bool) async throws {
        var store = try await open()
        try await store.put("key", "", expires: .after(.seconds(3_600)))
        let view = try store.readView()
        clock.advance(by: Self.hour)
        #expect(try store.get("key") == nil)
        clock.jump(by: -Int64(Self.hour))
        #expect(try store.get("key") == nil && !store.contains("key"))
        #expect(try store.readView().scan(.all).count() == 0 && view.scan(.all).count() == 1)
        #expect(try await store.transaction { try $0.get("key") }.value == nil)
        if compacts { try await store.compact() }
        store = try await reopen(store)
        #expect(try store.get("key") == nil)
        try await store.put("key", "", if: .absent)
        try await store.close()
    }

    @Test func aReaderBesideTheWriterPassesTime() async throws {
        let store = try await open()
        try await writeAYearAhead(store)
        try await store.put("key", "", expires: .after(.seconds(3_600)), durability: .synced)
        var configuration = Store.Configuration()
        (configuration.clock, configuration.fileSystem) = (clock, disk)
        let reader = try ReadOnlyStore(openingAt: "/store", level: .visible, configuration: configuration)
        #expect(try reader.contains("key"))
        clock.advance(by: Self.hour)
        #expect(try !reader.contains("key") && reader.now == store.now)
        reader.close()
        try await store.close()
    }

    @Test func jumpsOfMoreThanAMinuteAreLogged() async throws {
        let lines = LoggedLines()
        var store = try await open(lines.logger)
        clock.jump(by: -60_000)
        try await store.put("a", "")
        clock.jump(by: 60_001)
        try await store.put("a", "")
        clock.jump(by: -Int64(Self.hour))
        try await store.put("a", "")
        try await store.close()
        store = try await open(lines.logger)
        try await store.close()
        #expect(lines.all.count == 3)
        #expect(lines.all[0].contains("warning") && lines.all[0].contains("set forward"))
        #expect(lines.all[0].contains("by=60.001 seconds") && lines.all[0].contains("ahead=0.0 seconds"))
        #expect(lines.all[1].contains("set back") && lines.all[1].contains("ahead=3600.0 seconds"))
        #expect(lines.all[2].contains("later than the clock"))
    }

    @Test func aClockWithoutAMonotonicOneIsEnough() async throws {
        final class Wall: StoreClock {
            let time = Locked(Timestamp(milliseconds: 5_000))
            func now() -> Timestamp { time.withLock { $0 } }
        }
        let wall = Wall()
        var configuration = Store.Configuration()
        configuration.clock = wall
        let store = try Store.inMemory(configuration: configuration)
        wall.time.withLock { $0 = Timestamp(milliseconds: 100_000) }
        #expect(store.now == Timestamp(milliseconds: 100_000))
        wall.time.withLock { $0 = Timestamp(milliseconds: 5_000) }
        #expect(store.now == Timestamp(milliseconds: 100_000))
        wall.time.withLock { $0 = Timestamp(milliseconds: 7_000) }
        #expect(store.now == Timestamp(milliseconds: 102_000))
        try await store.close()
    }

    /// Any times, also of clocks that are broken: nothing traps, and time never goes back.
    @Test(arguments: 0..<40 as Range<UInt64>) func timeNeverGoesBack(seed: UInt64) {
        struct Clocks: StoreClock {
            var (wall, elapsed) = (UInt64(0), Duration.zero)
            func now() -> Timestamp { Timestamp(milliseconds: wall) }
            func monotonic() -> Duration { elapsed }
        }
        var random = SeededRandom(seed)
        let extremes: [UInt64] = [0, 1, Self.start, .max, .max - 1, 1 << 63, 1 << 63 - 1, 1 << 53, 1 << 32]
        var clocks = Clocks()
        func draw() {
            if random.oneIn(2) { clocks.wall = random.pick(extremes) }
            clocks.wall = clocks.wall &+ UInt64(bitPattern: Int64(random.number(in: -2_000...4_000)))
            if random.oneIn(4) { clocks.elapsed = .seconds(Int64(truncatingIfNeeded: random.pick(extremes))) }
            clocks.elapsed += .milliseconds(random.number(in: -100...3_000))
        }
        draw()
        let time = StoreTime(newest: random.pick(extremes), clocks)
        var last: UInt64 = 0
        for _ in 0..<200 {
            draw()
            let now = time.now(clocks)
            #expect(now >= last)
            last = now
        }
    }
}

/// A logger that keeps what it gets.
private final class LoggedLines: Sendable {
    private let lines = Locked<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = .notice
        return logger
    }

    private struct Handler: LogHandler {
        let lines: LoggedLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice

        init(lines: LoggedLines) { self.lines = lines }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).map { "\($0)=\($1)" }.joined(separator: " ")
            lines.lines.withLock { $0.append("\(event.level): \(event.message) \(metadata)") }
        }
    }
}
