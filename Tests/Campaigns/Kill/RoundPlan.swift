internal import HeartwoodTesting
internal import Heartwood
internal import HeartwoodCampaignSupport
internal import HeartwoodFormat

/// The drawn parameters of one round. Parent and child draw the same ones from the seed and the number.
struct RoundPlan: Sendable {
    let round: Int
    let work: WriterPlan
    let segmentBytes: Int
    let commitBufferBytes: Int
    let compression: Compression
    /// Bytes of log at which the store compacts automatically; nil: never.
    let compactedAt: UInt64?
    /// The child requests compactions without a pause.
    let isCompactedAllTheTime: Bool
    /// Writers don't pause.
    let isFlood: Bool
    /// When the child is killed, in milliseconds since its start or since the store is open.
    let delay: Int
    let countsFromStart: Bool
    /// What the parent does after it has checked the store.
    let writesAfterwards: Bool
    let closesAfterwards: Bool
    let reopensAfterwards: Bool
    /// The round begins with a new store.
    let isFresh: Bool

    /// How commits get into the log.
    let logWriting: LogWriting

    /// The child opens the store by a relative path, and then changes its working directory to one where that path
    /// leads to the decoy.
    let isRelative: Bool
    /// The child renames the store's directory while the store is open, and gives its name to the decoy.
    let isMoved: Bool
    /// When it does that, in milliseconds since the store is open.
    let moveDelay: Int

    init(seed: UInt64, round: Int) {
        var random = SeededRandom(seed, UInt64(round), 3)
        self.round = round
        segmentBytes = random.pick([16 << 10, 64 << 10, 64 << 10, 256 << 10, 1 << 20, 64 << 20])
        commitBufferBytes = random.pick([64 << 10, 1 << 20, 4 << 20])
        compression = random.oneIn(3) ? .zlib(level: random.pick([1, 6]), threshold: 64) : .off
        var work = WriterPlan(seed: seed, round: round, writers: random.pick([1, 4, 8, 8, 8, 16, 32]))
        if random.oneIn(4) { work.largeValues = (400, 900_000..<2_500_000) }
        self.work = work
        isFlood = random.oneIn(6)
        countsFromStart = random.oneIn(4)
        // A third of them early: during recovery, the first segment, the first commits.
        delay = random.oneIn(3) ? random.number(in: 0...20) : random.number(in: 5...400)
        writesAfterwards = !random.oneIn(3)
        closesAfterwards = random.oneIn(3)
        reopensAfterwards = random.oneIn(4)
        isFresh = round % 25 == 0
        compactedAt = random.pick([nil, 64 << 10, 64 << 10, 1 << 20])
        isCompactedAllTheTime = random.oneIn(4)
        logWriting = random.oneIn(2) ? .mapped : .calls
        isRelative = random.oneIn(2)
        isMoved = random.oneIn(3)
        moveDelay = random.pick([0, random.number(in: 0...100)])
    }

    var configuration: Store.Configuration {
        var configuration = Store.Configuration()
        configuration.compaction.isAutomatic = compactedAt != nil
        configuration.compaction.minimumLogBytes = compactedAt ?? .max
        configuration.segmentBytes = segmentBytes
        configuration.commitBufferBytes = commitBufferBytes
        configuration.compression = compression
        configuration.logWriting = logWriting
        return configuration
    }
}
