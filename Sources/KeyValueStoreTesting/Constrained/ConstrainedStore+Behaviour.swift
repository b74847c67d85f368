extension ConstrainedStore {
    /// How badly a store behaves. All its random decisions follow from the seed and the order of the calls, except for
    /// the store's identity.
    public struct Behaviour: Sendable {
        /// Determines all random decisions.
        public var seed: UInt64
        /// What the store allows.
        public var limits: KeyValueLimits
        /// The most times that a call yields to other tasks, before and after it does its work.
        public var yields = 3
        /// The longest time that a call sleeps before and after it does its work; zero for none.
        public var delay: Duration = .zero
        /// The most by which a sequence number exceeds the one before, at least 1.
        public var sequenceStep: UInt64 = 1_000
        /// How many later writes end a view; nil if none do.
        public var writesPerView: Int?
        /// The probability that a read of a view ends the view.
        public var viewEnds = 0.0
        /// The probability that a commit with conditions throws `.conflict` although they hold.
        public var spuriousConflicts = 0.0
        /// The probability that a commit throws `.outcomeUnknown`. In half of these cases the batch was written, if its
        /// conditions hold.
        public var unknownOutcomes = 0.0
        /// The probability that a commit throws `.inputOutput`. Nothing was written.
        public var commitFailures = 0.0
        /// The probability that a read throws `.inputOutput`; also a load of a change feed, which then ends.
        public var readFailures = 0.0

        /// Creates a behaviour that suspends in each call, and keeps the limits, but has no probability above 0.
        public init(seed: UInt64 = 1, limits: KeyValueLimits = .etcd) { (self.seed, self.limits) = (seed, limits) }

        /// Limits, suspensions and sparse sequence numbers only.
        public static let gentle = Behaviour()

        /// As ``gentle``, with spurious conflicts and views that end.
        public static let rough: Behaviour = {
            var behaviour = Behaviour()
            behaviour.spuriousConflicts = 0.1
            behaviour.viewEnds = 0.005
            behaviour.writesPerView = 100
            return behaviour
        }()

        /// As ``rough``, with unknown outcomes and failures.
        public static let hostile: Behaviour = {
            var behaviour = Behaviour.rough
            behaviour.unknownOutcomes = 0.1
            behaviour.commitFailures = 0.05
            behaviour.readFailures = 0.01
            return behaviour
        }()

        /// The same behaviour with other random decisions.
        public func seeded(_ seed: UInt64) -> Behaviour {
            var behaviour = self
            behaviour.seed = seed
            return behaviour
        }
    }

    /// What a store has done, all handles together.
    public struct Statistics: Sendable, Hashable {
        /// Reads of the store and its views.
        public var reads = 0
        /// Batches that were written, also those of which the caller wasn't told.
        public var writes = 0
        /// Batches that were refused although their conditions held.
        public var spuriousConflicts = 0
        /// Batches that were written, and `.outcomeUnknown` was thrown.
        public var unknownWritten = 0
        /// Batches that were not written, and `.outcomeUnknown` was thrown.
        public var unknownNotWritten = 0
        /// Commits that failed with `.inputOutput`.
        public var commitFailures = 0
        /// Reads and loads of feeds that failed with `.inputOutput`.
        public var readFailures = 0
    }
}
