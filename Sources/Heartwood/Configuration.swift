public import HeartwoodFileSystem
internal import HeartwoodFormat
public import Logging

extension Store {
    /// How a store works. Everything may differ from one opening to the next.
    public struct Configuration: Sendable {
        /// The durability of writes that don't name one. `.synced` by default.
        public var durability: Durability = .synced
        /// The size at which a log segment is followed by a new one, in bytes. 64 MiB by default; 16 KiB to 1 TiB.
        ///
        /// A batch that is larger gets a segment of its size.
        public var segmentBytes = 64 << 20
        /// The largest value accepted, in bytes, before compression; also the most that reading a compressed value
        /// allocates. 1 GiB by default; at most 2 GiB less 128 KiB.
        public var maximumValueBytes = 1 << 30
        /// How values are read back. `.positioned` by default: an error of the disk is then an error of the read. See
        /// ``ValueReading/mapped`` before you choose it.
        public var valueReading: ValueReading = .positioned
        /// How commits get into the log. `.mapped` by default, where the file system allows it; see ``LogWriting/calls``.
        public var logWriting: LogWriting = .mapped
        /// Compression of values. Off by default; what was written before is read whatever the setting.
        public var compression: Compression = .off
        /// When the log is compacted into a snapshot by itself. See ``CompactionPolicy`` for the defaults.
        public var compaction = CompactionPolicy()
        /// Which log is kept though a snapshot covers it. None by default.
        public var logRetention = LogRetention.none
        /// Whether an opening that finds no store makes one. True by default.
        public var createIfMissing = true
        /// Whether a torn tail, which every crash may leave, refuses to open too. False by default.
        public var strictRecovery = false
        /// Called now and then while an opening reads the log, from the thread that does it.
        public var recoveryProgress: (@Sendable (RecoveryProgress) -> Void)?
        /// Where the files are. The real file system by default.
        public var fileSystem: any FileSystem = POSIXFileSystem()
        /// The clock for expiry and commit times. The system's by default.
        public var clock: any StoreClock = SystemClock()
        /// Where to log what can't be thrown (a torn tail, a full disk, a failed sync); nowhere by default.
        public var logger: Logger?
        /// How many bytes may wait in each of the two commit buffers before writers are suspended. 4 MiB by default;
        /// at least 64 KiB. A write that is larger is taken alone.
        public var commitBufferBytes = 4 << 20

        /// The log writer's delays, and the clock that they go by; tests choose their own.
        package var timing = CommitPipeline.Timing()
        package var delays = DelayClock.system
        /// From how many log segments on a close compacts, where they are small.
        package var segmentsAtClose = 8

        /// The defaults.
        public init() {}

        func validated() throws(StoreError) -> Configuration {
            var copy = self
            copy.segmentBytes = min(max(segmentBytes, 16 << 10), 1 << 40)
            copy.commitBufferBytes = min(max(commitBufferBytes, 64 << 10), 1 << 30)
            let limit = FormatConstants.maximumBatchBytes - (128 << 10)
            guard (0...limit).contains(maximumValueBytes) else {
                throw StoreError(
                    .invalidArgument, "maximumValueBytes is \(maximumValueBytes): choose 0 to \(limit)")
            }
            return copy
        }
    }
}
