public import HeartwoodFileSystem
internal import HeartwoodFormat
public import Logging

extension Store {
    /// How a store works. Every setting may differ from one opening to the next.
    public struct Configuration: Sendable {
        /// The durability of writes that don't specify one. `.synced` by default.
        public var durability: Durability = .synced
        /// The size at which the log rotates to a new segment, in bytes. 64 MiB by default; 16 KiB to 1 TiB.
        ///
        /// A batch that is larger gets a segment of its own size.
        public var segmentBytes = 64 << 20
        /// The largest value accepted, in bytes before compression. Reading a compressed value allocates at most this
        /// much. 1 GiB by default; at most 2 GiB less 132 KiB.
        public var maximumValueBytes = 1 << 30
        /// How values are read. `.positioned` by default: a disk error is then an error of the read. See
        /// ``ValueReading/mapped`` before you choose it.
        public var valueReading: ValueReading = .positioned
        /// How commits are written to the log. `.mapped` by default, where the file system allows it; see
        /// ``LogWriting/calls``.
        public var logWriting: LogWriting = .mapped
        /// Compression of values. Off by default. Compressed values are readable whatever the setting.
        public var compression: Compression = .off
        /// When the log is compacted into a snapshot automatically. See ``CompactionPolicy`` for the defaults.
        public var compaction = CompactionPolicy()
        /// Which part of the log is kept although a snapshot covers it. None by default.
        public var logRetention = LogRetention.none
        /// Whether opening a path that has no store creates one. True by default.
        public var createIfMissing = true
        /// Whether opening also fails on a torn tail, which every crash may leave. False by default.
        public var strictRecovery = false
        /// Called from time to time while the log is read during opening, on the thread that reads it.
        public var recoveryProgress: (@Sendable (RecoveryProgress) -> Void)?
        /// Where the store's files are. On the disk by default.
        public var storage = Storage.disk
        /// The clocks for expiry and commit times. Those of the system by default.
        public var clock: any StoreClock = SystemClock()
        /// Logs what can't be thrown (a torn tail, a full disk, a failed sync), at level `info` and below, and as a
        /// warning that the clock was set by more than a minute. Nil by default: nothing is logged.
        public var logger: Logger?
        /// Called with what happens in the store, on the store's own threads, one call at a time for each thread. It
        /// must return soon, because writers wait for it, and must not wait for a call of the store. Nil by default.
        public var observer: (@Sendable (StoreEvent) -> Void)?
        /// How many bytes may wait in each of the two commit buffers before writers are suspended. 4 MiB by default; at
        /// least 64 KiB. A larger write is accepted on its own, when the buffer is empty.
        public var commitBufferBytes = 4 << 20

        package var fileSystem: any FileSystem {
            get { storage.fileSystem }
            set { storage = Storage(newValue) }
        }

        /// The delays of the log writer, and the clock that measures them. Tests replace both.
        package var timing = LogTiming()
        package var delays = DelayClock.system
        /// The number of log segments from which closing compacts, if they are small.
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
